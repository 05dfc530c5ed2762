import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/bounds.js';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { type SignInThrottle } from './sign-in-throttle.js';
import { type Memory, type Passwords } from './password.js';
import { type UserView } from '../users/user-view.js';

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export interface Credentials {
  /**
   * The user of this name and password, suspended or not; `bad-credentials` when there is none, `too-many` after too
   * many failures.
   */
  check(username: string, password: string, address: string): Promise<UserView>;
  /** The user of now, whose password was right before; `bad-credentials` once it is another one. */
  recheck(earlier: UserView): UserView;
}

export interface CredentialsOptions {
  readonly definitions: Definitions;
  readonly passwords: Passwords;
  readonly signInThrottle: SignInThrottle;
  readonly clock: Clock;
}

export function credentials({ definitions, passwords, signInThrottle, clock }: CredentialsOptions): Credentials {
  const memoryOf = memories(clock);
  const recheck = ({ username, passwordHash }: UserView): UserView => {
    const user = definitions.userNamed(username);
    if (user?.passwordHash !== passwordHash) throw badCredentials();
    return user;
  };

  return {
    recheck,

    async check(username, password, address) {
      const user = await signInThrottle.attempt(username, address, {
        known: () => {
          const named = definitions.userNamed(username);
          return named !== undefined && memoryOf(named, password).has() ? named : null;
        },
        check: async () => {
          const named = definitions.userNamed(username);
          const memory = named && memoryOf(named, password);
          const isRight = await passwords.verify(named?.passwordHash ?? null, password, memory);
          return isRight ? (named ?? null) : null;
        },
      });
      if (user === null) throw badCredentials();
      // The user may have been suspended while the password had to wait.
      return recheck(user);
    },
  };
}

const badCredentials = (): Problem => new Problem('bad-credentials', 'The user name or the password is wrong');

/** Digests under a key that dies with the process. A new password has no memory. */
function memories(clock: Clock): (user: UserView, password: string) => Memory {
  const key = randomBytes(32);
  const expiries = new LRUCache<string, number>(atMost(MAX_REMEMBERED));

  return (user, password) => {
    const facts = JSON.stringify([user.id, user.passwordHash, password]);
    const digest = createHmac('sha256', key).update(facts).digest('base64');
    return {
      has: () => (expiries.get(digest) ?? 0) > clock().getTime(),
      add: () => void expiries.set(digest, clock().getTime() + REMEMBERED_MS),
    };
  };
}
