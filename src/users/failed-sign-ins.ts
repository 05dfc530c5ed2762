/** How often an account, or an address, may be wrong before it has to wait. */
import { createHash } from 'node:crypto';
import { type Clock } from '../core/clock.js';
import { type ExpiringCounters } from '../core/expiring-counters.js';
import { Problem } from '../core/problem.js';
import { foldText } from '../core/read-models.js';

const REMEMBERED_MS = 15 * 60 * 1000;
const PER_ACCOUNT_AND_ADDRESS = 10;
const PER_ACCOUNT = 100;
const PER_ADDRESS = 100;

export interface FailedSignIns {
  /**
   * Lets an attempt happen, or throws `too-many`. Near a limit an attempt waits for those under way, so that many at
   * once are no more than one after the other.
   */
  attempt<Result>(account: string, address: string, attempt: () => Promise<Result | null>): Promise<Result | null>;
}

export function failedSignIns(counters: ExpiringCounters, clock: Clock): FailedSignIns {
  const underWay = inFlight();

  return {
    async attempt(account, address, attempt) {
      const limits = limitsOf(account, address);
      const keys = limits.map(({ key }) => key);
      const leave = await admitted(counters, clock, limits, underWay);
      try {
        const result = await attempt();
        if (result === null) await counters.add(keys, new Date(clock().getTime() + REMEMBERED_MS));
        else await forgive(counters, limits[0].key);
        return result;
      } finally {
        leave();
      }
    },
  };
}

interface Limit {
  readonly key: string;
  readonly limit: number;
}

/** Digests, because names come from outside, in any length. */
function limitsOf(account: string, address: string): [Limit, Limit, Limit] {
  const name = createHash('sha256').update(foldText(account)).digest('base64url');
  return [
    { key: `sign-in ${name} ${address}`, limit: PER_ACCOUNT_AND_ADDRESS },
    { key: `sign-in ${name}`, limit: PER_ACCOUNT },
    { key: `sign-in @${address}`, limit: PER_ADDRESS },
  ];
}

async function forgive(counters: ExpiringCounters, key: string): Promise<void> {
  const [counted] = await counters.counts([key]);
  if (counted !== undefined && counted.count > 0) await counters.clear(key);
}

/** Resolves with the way to leave, once failing could not take any count over its limit. */
async function admitted(
  counters: ExpiringCounters,
  clock: Clock,
  limits: readonly Limit[],
  underWay: InFlight,
): Promise<() => void> {
  const keys = limits.map(({ key }) => key);
  for (;;) {
    const counts = await counters.counts(keys);
    let mustWait = false;
    for (const [index, { key, limit }] of limits.entries()) {
      const { count, fallsAt } = counts[index] ?? { count: 0, fallsAt: null };
      if (count >= limit) throw tooMany(fallsAt, clock);
      mustWait ||= count + underWay.count(key) >= limit;
    }
    if (!mustWait) return underWay.enter(keys);
    await underWay.change();
  }
}

function tooMany(fallsAt: Date | null, clock: Clock): Problem {
  const ms = fallsAt === null ? REMEMBERED_MS : fallsAt.getTime() - clock().getTime();
  return new Problem('too-many', 'too many failed sign-ins', { retryAfter: ms / 1000 });
}

interface InFlight {
  count(key: string): number;
  enter(keys: readonly string[]): () => void;
  /** Resolves when one leaves. */
  change(): Promise<void>;
}

function inFlight(): InFlight {
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  const add = (key: string, change: 1 | -1): void => {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };

  return {
    count: (key) => counts.get(key) ?? 0,
    enter: (keys) => {
      for (const key of keys) add(key, 1);
      return () => {
        for (const key of keys) add(key, -1);
        for (const wake of waiting) wake();
        waiting.clear();
      };
    },
    change: () => new Promise((resolve) => void waiting.add(resolve)),
  };
}
