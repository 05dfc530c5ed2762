import { ObjectId, type Db } from 'mongodb';
import { type Clock } from '../../core/clock.js';
import { LONGEST_COUNTED_MS, type Count, type ExpiringCounters } from '../../core/expiring-counters.js';
import { answering } from './connection.js';
import { throttle } from '../shared/throttle.js';

/** One that has been counted. */
interface Counted {
  readonly key: string;
  readonly expiresAt: Date;
}

const TIDY_EVERY_MS = 60_000;

/** Counters that all processes over one database share. Callers stop counting at their limits: a key has few documents. */
export function mongoCounters(db: Db, clock: Clock): ExpiringCounters {
  // It does no harm when a new primary has forgotten the last ones.
  const counted = db.collection<Counted>('counters', { writeConcern: { w: 1 } });
  const tidy = throttle(clock, TIDY_EVERY_MS, async () => {
    await counted.createIndex({ key: 1, expiresAt: 1 }, {}, {});
    await counted.createIndex({ expiresAt: 1 }, {}, {});
    await counted.deleteMany({ expiresAt: { $lte: clock() } });
  });

  const forget = async (ids: readonly ObjectId[]): Promise<void> => {
    if (ids.length > 0) await counted.deleteMany({ _id: { $in: [...ids] } });
  };

  return {
    add: (keys, expiresAt) =>
      answered(async () => {
        await tidy();
        const ones = keys.map((key) => ({ _id: new ObjectId(), key, expiresAt }));
        if (ones.length > 0) await counted.insertMany(ones);
        const ids = ones.map(({ _id }) => _id);
        return () => forget(ids).catch(() => undefined);
      }),

    counts: (keys) =>
      answered(async () => {
        const now = clock();
        const latest = new Date(now.getTime() + LONGEST_COUNTED_MS);
        const alive = await counted
          .find({ key: { $in: [...keys] }, expiresAt: { $gt: now, $lte: latest } }, { projection: { _id: 0 } })
          .toArray();
        return keys.map((key) => countOf(alive.filter((one) => one.key === key)));
      }),

    clear: (key) =>
      answered(async () => {
        await counted.deleteMany({ key });
      }),
  };
}

function countOf(alive: readonly Counted[]): Count {
  const first = Math.min(...alive.map(({ expiresAt }) => expiresAt.getTime()));
  return { count: alive.length, expiresAt: alive.length === 0 ? null : new Date(first) };
}

const answered = <T>(work: () => Promise<T>): Promise<T> => answering('The counters cannot be read; retry later', work);
