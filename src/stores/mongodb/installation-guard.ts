import { type Db } from 'mongodb';
import { inserted } from './duplicate-key.js';
import { OwnedByAnother } from '../shared/owned-by-another.js';

interface Owner {
  readonly _id: 'log';
  /** Id of the log's first event. */
  readonly firstEvent: string;
  /** While a migration fills the log. */
  readonly migration?: { readonly source: 'embedded'; readonly since: Date };
}

const ownersIn = (db: Db) => db.collection<Owner>('installation');

/** Throws where the read models of a database were made from another log: its positions would mean nothing here. */
export async function ownedByLog(db: Db, firstEvent: string | null): Promise<void> {
  const owners = ownersIn(db);
  const found = () => owners.findOne({ _id: 'log' });
  let owner = await found();
  // Only then: a server that is full takes no writes.
  if (owner === null && firstEvent !== null) {
    await inserted(() => owners.insertOne({ _id: 'log', firstEvent }));
    // Another process may have been first.
    owner = await found();
  }
  if (owner === null || owner.firstEvent === firstEvent) return;
  const what = firstEvent === null ? 'the log is empty' : 'the log is another one';
  throw new OwnedByAnother(
    `The database ${db.databaseName} of MONGODB_URL holds what was made from another log than that of EVENTSTOREDB_URL and ` +
      `EVENTSTOREDB_PREFIX: ${what}. Name its log, or a database of its own`,
  );
}

/** From now on `refuseUnfinishedMigration` throws. */
export async function markMigration(db: Db, since: Date): Promise<void> {
  await ownersIn(db).updateOne({ _id: 'log' }, { $set: { migration: { source: 'embedded', since } } });
}

export async function removeMigrationMark(db: Db): Promise<void> {
  await ownersIn(db).updateOne({ _id: 'log' }, { $unset: { migration: '' } });
}

/** Throws where a migration that has not ended may have left only the beginning of a log. */
export async function refuseUnfinishedMigration(db: Db): Promise<void> {
  const { migration } = (await ownersIn(db).findOne({ _id: 'log' })) ?? {};
  if (migration === undefined) return;
  throw new OwnedByAnother(
    `The log of EVENTSTOREDB_URL and EVENTSTOREDB_PREFIX may lack the last events of its platform: the database ` +
      `${db.databaseName} of MONGODB_URL tells of a migration, begun at ${migration.since.toISOString()}, that has not ended. ` +
      'Run "migrate --from embedded --to production" again until its status is 0; or name another prefix and database',
  );
}
