/** How often an account, or an address, may be wrong before it has to wait. IPv6 addresses of one /64 are one. */
import { createHash } from 'node:crypto';
import { type Clock } from '../core/clock.js';
import { type Count, type ExpiringCounters, type Release } from '../core/expiring-counters.js';
import { retryUntil } from '../core/concurrency/retry.js';
import { Problem, temporarilyUnavailable } from '../core/problem.js';
import { foldText } from '../core/text/spelling.js';
import { enqueue } from '../core/concurrency/keyed-queue.js';
import { networkOf } from '../http/client/ip-address.js';

const REMEMBERED_MS = 15 * 60 * 1000;
const PER_ACCOUNT_AND_ADDRESS = 10;
const PER_ACCOUNT = 100;
const PER_ADDRESS = 100;

/** For its turn among the attempts of one account and address: each may wait in vain for the counters. */
const TURN_MS = 5000;

/** No try is under way for longer, but for one whose process was killed. */
const UNDER_WAY_MS = 30_000;

export interface SignInThrottle {
  /**
   * Lets an attempt happen, or throws `too-many`. Near a limit, an attempt waits for the running attempts of all
   * processes. So concurrent attempts gain nothing over sequential ones. Throws `unavailable` when they take too long.
   */
  attempt<Result>(account: string, address: string, attempt: Attempt<Result>): Promise<Result | null>;
}

interface Attempt<Result> {
  /** Certainly right without a check of the password: never waits. */
  readonly known: () => Result | null;
  /** Null when it is wrong. */
  readonly check: () => Promise<Result | null>;
}

/** `throttled` is told of each attempt that has to wait. */
export function signInThrottle(
  counters: ExpiringCounters,
  clock: Clock,
  throttled: (account: string, address: string) => void = () => undefined,
): SignInThrottle {
  const shared = { counters, clock };
  return {
    async attempt(account, address, { known, check }) {
      const limits = limitsOf(account, address);
      const [{ key }] = limits;
      const refused = (): void => {
        throttled(account, address);
      };
      const since = performance.now();
      // One after the other: those that wait together are not in each other's way.
      const entry = await enqueue(counters, key, async () => {
        if (performance.now() - since > TURN_MS) return null;
        return retryUntil(() => admitted({ ...shared, refused }, limits, known), { since });
      });
      if (entry === null) throw tooBusy();
      if (entry.leave === null) return entry.known;
      try {
        const result = await check();
        if (result === null) await counters.add(keysOf(limits), later(clock, REMEMBERED_MS));
        else await forgive(counters, key);
        return result;
      } finally {
        await entry.leave();
      }
    },
  };
}

const tooBusy = (): Problem => temporarilyUnavailable('Too many sign-ins at once; retry later');

interface Shared {
  readonly counters: ExpiringCounters;
  readonly clock: Clock;
}

const later = (clock: Clock, ms: number): Date => new Date(clock().getTime() + ms);

interface Limit {
  readonly key: string;
  readonly limit: number;
}

/** Digests, because names come from outside, in any length. */
function limitsOf(account: string, address: string): readonly [Limit, Limit, Limit] {
  const name = createHash('sha256').update(foldText(account)).digest('base64url');
  const network = networkOf(address);
  return [
    { key: `sign-in ${name} ${network}`, limit: PER_ACCOUNT_AND_ADDRESS },
    { key: `sign-in ${name}`, limit: PER_ACCOUNT },
    { key: `sign-in @${network}`, limit: PER_ADDRESS },
  ];
}

const keysOf = (limits: readonly Limit[]): readonly string[] => limits.map(({ key }) => key);

/** What is under way is counted apart from what has failed: it may be taken back any moment. */
const keysUnderWay = (limits: readonly Limit[]): readonly string[] => limits.map(({ key }) => `${key} under way`);

async function forgive(counters: ExpiringCounters, key: string): Promise<void> {
  const [failed] = await counters.counts([key]);
  if (failed !== undefined && failed.count > 0) await counters.clear(key);
}

type Entry<Result> =
  { readonly known: Result; readonly leave: null } | { readonly known: null; readonly leave: Release };

/** Null while failing could take a count over its limit, with those that are under way. */
async function admitted<Result>(
  shared: Shared & { readonly refused: () => void },
  limits: readonly [Limit, Limit, Limit],
  known: () => Result | null,
): Promise<Entry<Result> | null> {
  const { counters } = shared;
  const failed = await counters.counts(keysOf(limits));
  refuseBeyond(limits, failed, shared);
  const result = known();
  if (result === null) {
    const leave = await entered(shared, limits);
    return leave && { known: null, leave };
  }
  if ((failed[0]?.count ?? 0) > 0) await counters.clear(limits[0].key);
  return { known: result, leave: null };
}

function refuseBeyond(
  limits: readonly Limit[],
  failed: readonly Count[],
  { clock, refused }: { readonly clock: Clock; readonly refused: () => void },
): void {
  for (const [index, { limit }] of limits.entries()) {
    const { count, expiresAt } = failed[index] ?? NONE;
    if (count < limit) continue;
    refused();
    const ms = expiresAt === null ? REMEMBERED_MS : expiresAt.getTime() - clock().getTime();
    throw new Problem('too-many', 'Too many failed sign-ins; retry later', { retryAfter: ms / 1000 });
  }
}

const NONE: Count = { count: 0, expiresAt: null };

/** Resolves with the way to leave. */
async function entered({ counters, clock }: Shared, limits: readonly Limit[]): Promise<Release | null> {
  const keys = keysUnderWay(limits);
  // Counted before it looks: of any two that come together, at least one finds the other.
  const leave = await counters.add(keys, later(clock, UNDER_WAY_MS));
  // In this order: a failure is counted before its try leaves, so that one of both looks finds it.
  const underWay = await counters.counts(keys);
  const failed = await counters.counts(keysOf(limits));
  const total = (index: number): number => (underWay[index] ?? NONE).count + (failed[index] ?? NONE).count;
  if (limits.every(({ limit }, index) => total(index) <= limit)) return leave;
  await leave();
  return null;
}
