import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/bounds.js';
import { type Clock } from '../../core/clock.js';
import { LONGEST_COUNTED_MS, type Count, type ExpiringCounters } from '../../core/expiring-counters.js';

const MAX_KEYS = 50_000;
/** Beyond this many under one key, the oldest are forgotten: no throttle counts further. */
const MAX_COUNT = 1_000;

/** One that has been counted: the same object under each of its keys. */
interface Counted {
  readonly expiry: number;
}

/** Counters of one process. When there are too many keys, those not used for longest are forgotten. */
export function memoryCounters(clock: Clock, maxKeys = MAX_KEYS): ExpiringCounters {
  const counted = new LRUCache<string, readonly Counted[]>(atMost(maxKeys));
  const alive = (key: string): readonly Counted[] => {
    const now = clock().getTime();
    return (counted.get(key) ?? []).filter(({ expiry }) => expiry > now && expiry <= now + LONGEST_COUNTED_MS);
  };
  const countOf = (key: string): Count => {
    const [oldest, ...others] = alive(key);
    if (oldest === undefined) return { count: 0, expiresAt: null };
    return { count: 1 + others.length, expiresAt: new Date(oldest.expiry) };
  };
  const forget = (key: string, one: Counted): void => {
    const left = alive(key).filter((other) => other !== one);
    if (left.length === 0) counted.delete(key);
    else counted.set(key, left);
  };

  return {
    add: (keys, expiresAt) => {
      const one = { expiry: expiresAt.getTime() };
      for (const key of keys) {
        const all = [...alive(key), one].sort((a, b) => a.expiry - b.expiry).slice(-MAX_COUNT);
        counted.set(key, all);
      }
      return Promise.resolve(() => {
        for (const key of keys) forget(key, one);
        return Promise.resolve();
      });
    },
    counts: (keys) => Promise.resolve(keys.map(countOf)),
    clear: (key) => {
      counted.delete(key);
      return Promise.resolve();
    },
  };
}
