import { type Db } from 'mongodb';
import { NOTHING_FAILS, type FailingWork, type FailingWorkRegister } from '../../core/recovery/failing-work.js';
import { answering } from './connection.js';

interface Stored extends FailingWork {
  readonly _id: 'recovery';
}

/** One document, which all processes over one database share. */
export function mongoFailingWork(db: Db): FailingWorkRegister {
  const stored = db.collection<Stored>('failing');
  return {
    publish: async ({ count, items }) => {
      await stored.replaceOne({ _id: 'recovery' }, { count, items }, { upsert: true });
    },
    last: () =>
      answering(
        'The list of failing interrupted work cannot be read; retry later',
        async () => (await stored.findOne({ _id: 'recovery' }, { projection: { _id: 0 } })) ?? NOTHING_FAILS,
      ),
  };
}
