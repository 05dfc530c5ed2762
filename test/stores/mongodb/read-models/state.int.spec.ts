/** The text that tells whether what a process remembers is still what the read models would answer. */
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { type Mark } from '../../../../src/core/marks.js';
import { type Generation } from '../../../../src/core/projection.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { dropGenerations } from '../../../../src/stores/mongodb/read-models/documents.js';
import { mongoReadModelStore } from '../../../../src/stores/mongodb/read-models/writer.js';
import { type MongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { isSettled } from '../../../../src/stores/mongodb/read-models/state.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { at, MODELS, note, openRun, PROJECTION, reached, written } from '../../contracts/read-models-fixture.js';
import { heldUp, ID, IDS, place, until, type Place } from './fixture.js';

const never = new Promise<never>(() => undefined);

describe('what is written of read models on MongoDB', () => {
  it('is whole once the checkpoint is as far as the announcements, and not before the first checkpoint', () => {
    const served = { id: ID, generation: 1, version: 1, token: 1, models: MODELS };
    const isWhole = (n: number | null) =>
      isSettled({ ...served, position: n === null ? null : at(n), changed: { notes: at(2), authors: at(1) } });
    expect([null, 1, 2, 3].map(isWhole)).to.deep.equal([false, false, true, true]);
    expect(isSettled({ ...served, position: null, changed: {} })).to.equal(true);
  });
});

forEachMongoDb('the state of read models', ({ url }) => {
  let here: Place;

  beforeEach(() => {
    here = place(url());
  });

  afterEach(async () => {
    await here.close();
  });

  const latest = async (models: MongoReadModels): Promise<string | undefined> => {
    await models.refreshState?.();
    return models.state();
  };

  for (const method of ['insertMany', 'bulkWrite', 'updateOne']) {
    it(`is unknown from the announcement of a commit to its end, wherever its worker dies: ${method}`, async () => {
      let isCrashed = false;
      let hasCrashed = false;
      const db = heldUp(here.db, ({ collection, method: called, args, pass }) => {
        const isStep = called === method && (method !== 'updateOne' || JSON.stringify(args[1]).includes('.position'));
        if (!isCrashed || !isStep) return pass();
        hasCrashed = true;
        // The server may have done it nevertheless.
        if (collection !== 'projection-versions') void pass();
        return never;
      });
      const store = mongoReadModelStore({ ids: IDS, tokenOf: () => 0, db });
      const { run, commit } = await openRun(store);
      await store.serve(PROJECTION, run);
      await commit(1, written(note(1), 1));
      const models = await here.reader();
      const before = await latest(models);
      expect(before).to.be.a('string');

      isCrashed = true;
      const changes = [written(note(1), 2), written(note(2), 2)];
      void commit(2, ...changes);
      await until(() => hasCrashed);
      expect(await latest(models)).to.equal(undefined);
      const successor = await here.successor();
      expect(await latest(models)).to.equal(undefined);
      await successor.commit(PROJECTION, run, changes, reached(2));
      const after = await latest(models);
      expect(after).to.be.a('string').and.not.to.equal(before);
    });
  }

  it('is the same while another run is filled, and while checkpoints without a change are stored', async () => {
    const store = await here.worker();
    const { run, commit } = await openRun(store);
    await store.serve(PROJECTION, run);
    await commit(1, written(note(1), 1));
    const models = await here.reader();
    const before = await latest(models);
    expect(before).to.be.a('string');
    const filling = await openRun(store);
    for (const n of [1, 2]) await filling.commit(n, written(note(n), n));
    await store.verify(PROJECTION, filling.run, MODELS);
    await commit(2);
    expect(await latest(models)).to.equal(before);
  });

  it('is another one once there is a mark, though no document has changed', async () => {
    const store = await here.worker();
    const { run, commit } = await openRun(store);
    await store.serve(PROJECTION, run);
    await commit(1, written(note(1), 1));
    const models = await here.reader();
    const before = await latest(models);
    const mark: Mark = { stream: 'note-1', type: 'Unheard', schema: 1, revision: 1, position: at(2), reason: 'newer' };
    await store.commit(PROJECTION, run, [], reached(2), [mark]);
    expect(await latest(models))
      .to.be.a('string')
      .and.not.to.equal(before);
  });

  it('is another one where a version was removed, and is filled again under the numbers that it had', async () => {
    const store = await here.worker();
    const filled = async (n: number): Promise<Generation> => {
      const { run, commit } = await openRun(store);
      await commit(n, written(note(1), n));
      await store.serve(PROJECTION, run);
      return run;
    };
    const first = await filled(1);
    const models = await here.reader();
    const before = await latest(models);
    // As a later release does it.
    await projectionDocuments(here.db).deleteOne({ _id: ID });
    await dropGenerations(here.db, MODELS, () => true);
    await until(async () => (await latest(models)) !== before);
    expect(await filled(2)).to.equal(first);
    expect(await latest(models))
      .to.be.a('string')
      .and.not.to.equal(before);
  });

  it('is looked at once for all who ask meanwhile, and again for each who asks later', async () => {
    const store = await here.worker();
    const { run, commit } = await openRun(store);
    await store.serve(PROJECTION, run);
    const client = new MongoClient(here.url, { monitorCommands: true });
    let looks = 0;
    client.on('commandStarted', ({ commandName }) => {
      if (commandName === 'find') looks += 1;
    });
    const models = await here.reader(client.db(here.db.databaseName));
    await latest(models);
    const before = looks;
    await Promise.all(Array.from({ length: 100 }, () => latest(models)));
    // One of them is that of the call that came first; others may be those of the poll.
    expect(looks - before).to.be.within(1, 5);
    for (const n of [1, 2, 3]) {
      const state = await latest(models);
      await commit(n, written(note(n), n));
      expect(await latest(models)).not.to.equal(state);
    }
    await models.close();
    await client.close();
  });
});
