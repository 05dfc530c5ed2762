import { LRUCache } from 'lru-cache';
import { type Clock } from '../core/clock.js';
import { type Count, type ExpiringCounters } from '../core/expiring-counters.js';

const MAX_KEYS = 50_000;
/** Beyond this many under one key, the oldest are forgotten: no throttle counts further. */
const MAX_COUNT = 1_000;

/** Counters of one process. When there are too many keys, those not used for longest are forgotten. */
export function memoryCounters(clock: Clock, maxKeys = MAX_KEYS): ExpiringCounters {
  const expiries = new LRUCache<string, readonly number[]>({ max: maxKeys });
  const alive = (key: string): readonly number[] => {
    const now = clock().getTime();
    return (expiries.get(key) ?? []).filter((expiry) => expiry > now);
  };
  const countOf = (key: string): Count => {
    const [oldest, ...others] = alive(key);
    return oldest === undefined ? { count: 0, fallsAt: null } : { count: 1 + others.length, fallsAt: new Date(oldest) };
  };

  return {
    add: (keys, expiresAt) => {
      for (const key of keys) {
        const expiry = [...alive(key), expiresAt.getTime()].sort((a, b) => a - b).slice(-MAX_COUNT);
        expiries.set(key, expiry);
      }
      return Promise.resolve();
    },
    counts: (keys) => Promise.resolve(keys.map(countOf)),
    clear: (key) => {
      expiries.delete(key);
      return Promise.resolve();
    },
  };
}
