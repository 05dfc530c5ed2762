import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { mongoDatabase, type MongoDatabase } from '../../../src/stores/mongodb/connection.js';
import {
  markMigration,
  ownedByLog,
  refuseUnfinishedMigration,
  removeMigrationMark,
} from '../../../src/stores/mongodb/installation-guard.js';
import { OwnedByAnother } from '../../../src/stores/shared/owned-by-another.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../../support/mongodb/for-each-mongodb.js';
import { rejection } from '../contracts/event-log-fixture.js';

forEachMongoDb('the document of an installation', ({ url }) => {
  let fresh: FreshDatabase;
  let database: MongoDatabase;
  beforeEach(() => {
    fresh = freshDatabase(url());
    database = mongoDatabase(fresh.url);
  });
  afterEach(async () => {
    await database.close();
    await fresh.drop();
  });

  it('is read, and not written, where the log has the database', async () => {
    await Promise.all([ownedByLog(database.db, 'one'), ownedByLog(database.db, 'one')]);
    const client = new MongoClient(fresh.url, { monitorCommands: true });
    const sent: string[] = [];
    client.on('commandStarted', ({ commandName }) => sent.push(commandName));
    await ownedByLog(client.db(), 'one');
    await client.close();
    expect(sent.filter((name) => name !== 'endSessions')).to.deep.equal(['find']);
  });

  it('refuses processes until the mark of a migration is removed, and leaves the owner as it is', async () => {
    const { db } = database;
    await refuseUnfinishedMigration(db);
    await ownedByLog(db, 'one');
    await refuseUnfinishedMigration(db);
    for (const since of ['2026-03-01T12:00:00.000Z', '2026-03-02T12:00:00.000Z']) {
      await markMigration(db, new Date(since));
      const refused = await rejection(refuseUnfinishedMigration(db));
      expect(refused).to.be.instanceOf(OwnedByAnother);
      expect(String(refused)).to.contain(`tells of a migration, begun at ${since}, that has not ended`);
      await ownedByLog(db, 'one');
    }
    await removeMigrationMark(db);
    await refuseUnfinishedMigration(db);
    expect(await rejection(ownedByLog(db, 'two'))).to.be.instanceOf(OwnedByAnother);
  });
});
