import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { concurrencyLimit } from '../core/concurrency/concurrency-limit.js';
import { codeOf } from '../core/concurrency/retry.js';
import { temporarilyUnavailable } from '../core/problem.js';
import { composed } from '../core/text/spelling.js';

/** argon2id, the library's default algorithm. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const LIMIT = {
  most: 2,
  mostWaiting: 256,
  // The longest that a timer takes: their number bounds how long they wait.
  patienceMs: 2 ** 31 - 1,
  refused: () => temporarilyUnavailable('Too many sign-ins at once; retry later'),
};

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Null for a user who does not exist, and a hash that is none: takes as long, and is false. */
  verify(passwordHash: string | null, password: string, memory?: Memory): Promise<boolean>;
}

/** Of one password lately seen to be right: asked when it is a check's turn, told before the next one's. */
export interface Memory {
  has(): boolean;
  add(): void;
}

const FORGETFUL: Memory = { has: () => false, add: () => undefined };

/** Few at once, each takes 19 MiB and a core; what would wait too long is refused. */
export function passwords(): Passwords {
  const takeTurn = concurrencyLimit(LIMIT);
  const nobodys = hash(randomBytes(16), COST);

  return {
    hash: (password) => takeTurn(() => hash(composed(password), COST)),
    verify: (passwordHash, password, memory = FORGETFUL) =>
      takeTurn(async () => {
        if (memory.has()) return true;
        for (const form of formsOf(password)) {
          const isRight = passwordHash === null ? null : await fits(passwordHash, form);
          if (isRight === null) await verify(await nobodys, form);
          if (isRight !== true) continue;
          memory.add();
          return true;
        }
        return false;
      }),
  };
}

/** Hashes are of the NFC (RFC 8265, OpaqueString). Those of earlier releases are of the password as it was written. */
const formsOf = (password: string): ReadonlySet<string> => new Set([composed(password), password]);

/** Null for a hash that is none, as an earlier release could store. */
async function fits(passwordHash: string, password: string): Promise<boolean | null> {
  try {
    return await verify(passwordHash, password);
  } catch (error) {
    if (codeOf(error) === 'InvalidArg') return null;
    throw error;
  }
}
