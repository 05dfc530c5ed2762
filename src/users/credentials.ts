import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type Directory } from '../directory/directory.js';
import { type FailedSignIns } from './failed-sign-ins.js';
import { type Passwords } from './password.js';
import { type UserView } from './user-view.js';

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export interface Credentials {
  /**
   * The user of this name and password, suspended or not; `bad-credentials` when there is none, `too-many` after too
   * many failures.
   */
  check(username: string, password: string, address: string): Promise<UserView>;
}

export interface CredentialsOptions {
  readonly directory: Directory;
  readonly passwords: Passwords;
  readonly failedSignIns: FailedSignIns;
  readonly clock: Clock;
}

export function credentials({ directory, passwords, failedSignIns, clock }: CredentialsOptions): Credentials {
  const remembered = memory(clock);

  return {
    async check(username, password, address) {
      const user = await failedSignIns.attempt(username, address, async () => {
        const known = directory.userNamed(username);
        const isRemembered = (): boolean => known !== undefined && remembered.has(known, password);
        const isRight = isRemembered() || (await passwords.verify(known?.passwordHash ?? null, password, isRemembered));
        if (!isRight || known === undefined) return null;
        remembered.add(known, password);
        return directory.user(known.id) ?? null;
      });
      if (user === null) throw new Problem('bad-credentials', 'the name or the password is wrong');
      return user;
    },
  };
}

interface Memory {
  has(user: UserView, password: string): boolean;
  add(user: UserView, password: string): void;
}

/** Passwords lately seen to be right, as digests under a key that dies with the process. A new password is another. */
function memory(clock: Clock): Memory {
  const key = randomBytes(32);
  const expiries = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const digest = (user: UserView, password: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([user.id, user.passwordHash, password]))
      .digest('base64');

  return {
    has: (user, password) => (expiries.get(digest(user, password)) ?? 0) > clock().getTime(),
    add: (user, password) => {
      const entry = digest(user, password);
      const isFresh = (expiries.get(entry) ?? 0) > clock().getTime();
      if (!isFresh) expiries.set(entry, clock().getTime() + REMEMBERED_MS);
    },
  };
}
