import { type Db } from 'mongodb';
import { inserted } from './duplicate-key.js';
import { OwnedByAnother } from '../shared/owned-by-another.js';

interface Owner {
  readonly _id: 'log';
  /** Id of the log's first event. */
  readonly firstEvent: string;
}

/** Throws where the read models of a database were made from another log: its positions would mean nothing here. */
export async function ownedByLog(db: Db, firstEvent: string | null): Promise<void> {
  const owners = db.collection<Owner>('installation');
  if (firstEvent !== null) {
    await inserted(() => owners.insertOne({ _id: 'log', firstEvent }));
  }
  const owner = await owners.findOne({ _id: 'log' });
  if (owner === null || owner.firstEvent === firstEvent) return;
  const what = firstEvent === null ? 'the log is empty' : 'the log is another one';
  throw new OwnedByAnother(
    `The database ${db.databaseName} of MONGODB_URL holds what was made from another log than that of EVENTSTOREDB_URL and ` +
      `EVENTSTOREDB_PREFIX: ${what}. Name its log, or a database of its own`,
  );
}
