import { expect } from 'chai';
import fc from 'fast-check';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { artifacts } from '../../../../projections/artifacts.js';
import { projectLabels, trackerLabels } from '../../../../src/artifacts/label-view.js';
import { mongoDatabase, type MongoDatabase } from '../../../../src/stores/mongodb/connection.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { mongoReadModelStore } from '../../../../src/stores/mongodb/read-models/writer.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { gateTo } from '../../../support/mongodb/gate.js';
import {
  batchSizes,
  catchUp,
  expectProjected,
  histories,
  History,
  type Step,
  type Written,
} from '../../contracts/artifact-histories.js';
import { failureOf, heldUp, IDS, place, until, type Place } from './fixture.js';

const form: Step = { type: 'form', tracker: 51, used: [] };
/** No event of these specs changes them. */
const LABELS: readonly string[] = [trackerLabels.name, projectLabels.name];
const write = (id: number, values: Written['values']): Step => ({
  type: 'write',
  id,
  tracker: 51,
  values,
  comment: 'A word',
});

forEachMongoDb('counts of artifacts', ({ name, url }) => {
  let here: Place;
  let token: number;

  beforeEach(() => {
    here = place(url());
    token = 0;
  });

  afterEach(async () => {
    await here.close();
  });

  const worker = (db = here.db) => {
    const own = token;
    return mongoReadModelStore({ db, ids: IDS, tokenOf: () => own });
  };
  const successor = async (db = here.db) => {
    token += 1;
    await projectionDocuments(here.db).updateOne({ _id: IDS.idOf(artifacts.name) }, { $set: { token } });
    return worker(db);
  };
  const served = async (): Promise<number> => {
    const store = worker();
    const run = await store.open(artifacts.name, artifacts.models, artifacts.version);
    await store.serve(artifacts.name, run);
    return run;
  };
  const afterMs = fc.integer({ min: 0, max: 12 });
  const runs = name === 'ferretdb' ? 8 : 40;

  it('are right after a commit is cut short at any moment and finished by any worker', async () => {
    const cuts = fc.array(fc.record({ sizes: batchSizes, afterMs }), { maxLength: 3 });
    const property = fc.asyncProperty(histories(25), cuts, batchSizes, async (history, all, last) => {
      const run = await served();
      const databases: MongoDatabase[] = [];
      for (const { sizes, afterMs: pause } of all) {
        const gate = await gateTo(here.url);
        const database = mongoDatabase(gate.url);
        databases.push(database);
        const cut = await successor(database.db);
        // It would wait for the server to come back.
        catchUp(cut, run, history.events, sizes).catch(() => undefined);
        await sleep(pause);
        await gate.shut();
      }
      const store = await successor();
      await catchUp(store, run, history.events, last);
      await expectProjected(store, run, history);
      await Promise.all(databases.map((database) => database.close()));
    });
    await fc.assert(property, { numRuns: runs });
  });

  it('are left alone by a worker that wakes up after another worker has finished its commit', async () => {
    const property = fc.asyncProperty(histories(25), batchSizes, batchSizes, afterMs, async (...given) => {
      const [history, first, second, pause] = given;
      const run = await served();
      const gate = await gateTo(here.url);
      const database = mongoDatabase(gate.url);
      // It may have been quick enough.
      const late = Promise.allSettled([catchUp(worker(database.db), run, history.events, first)]);
      await sleep(pause);
      gate.hold();
      const store = await successor();
      await catchUp(store, run, history.events, second);
      await gate.open();
      await late;
      await expectProjected(store, run, history);
      await database.close();
      await gate.shut();
    });
    await fc.assert(property, { numRuns: runs });
  });

  it('are right where a worker writes the rest of its commit between the batches of another one', async () => {
    const ends = fc.tuple(fc.nat(10), fc.nat(10));
    const turns = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 8 });
    const property = fc.asyncProperty(histories(30), batchSizes, ends, turns, async (history, sizes, [a, b], last) => {
      const { events } = history;
      const run = await served();
      await catchUp(worker(), run, events.slice(0, a), [10]);
      const waiting: (() => Promise<void>)[] = [];
      const slow = heldUp(here.db, ({ method, pass }) => {
        if (!['insertMany', 'bulkWrite'].includes(method)) return pass();
        return new Promise((resolve, reject) => {
          waiting.push(() => Promise.resolve(pass()).then(resolve, reject));
        });
      });
      let isOver = false;
      const late = catchUp(worker(slow), run, events.slice(0, a + b), [10]).catch(() => undefined);
      void late.then(() => (isOver = true));
      await until(() => waiting.length > 0 || isOver);
      const store = await successor();
      const written = last.toSorted((one, other) => one - other);
      await catchUp(store, run, events, sizes, async (turn) => {
        while ((written[0] ?? Infinity) <= turn) {
          written.shift();
          await waiting.shift()?.();
          await setImmediate();
        }
      });
      await until(async () => {
        await waiting.shift()?.();
        return isOver;
      });
      await expectProjected(store, run, history);
    });
    const changed = new History([form, write(1, {}), write(2, {}), write(1, { 4: [1] }), write(3, {})]);
    const atOnce = [1, 1, 1, 1, 1, 1, 1, 1];
    await fc.assert(property, { numRuns: runs, examples: [[changed, [1], [2, 2], atOnce]] });
  });

  it('are counted once by a successor that meets artifacts that were written, but not the checkpoint', async () => {
    const property = fc.asyncProperty(histories(25), batchSizes, batchSizes, async (history, first, second) => {
      const run = await served();
      await catchUp(worker(), run, history.events, first);
      const back = { [`runs.${run}.position`]: null };
      await projectionDocuments(here.db).updateOne({ _id: IDS.idOf(artifacts.name) }, { $set: back as object });
      const store = await successor();
      await catchUp(store, run, history.events, second);
      await expectProjected(store, run, history);
    });
    await fc.assert(property, { numRuns: runs });
  });

  for (const model of artifacts.models.filter((one) => !LABELS.includes(one))) {
    it(`are right after a commit that was cut short before ${model}, with any sizes of steps`, async () => {
      const gone: Step = { type: 'delete', id: 2 };
      const all = [form, write(1, { 4: [1] }), write(2, { 4: [1] }), write(1, { 4: [2], 1: [3] }), gone, write(3, {})];
      const history = new History(all);
      for (const sizes of [[1], [2], [3, 1], [6]]) {
        const run = await served();
        await catchUp(worker(), run, history.events.slice(0, 2), [2]);
        const cut = heldUp(here.db, ({ collection, method, pass }) => {
          if (collection !== `${model}.r${run}` || !['insertMany', 'bulkWrite'].includes(method)) return pass();
          return Promise.reject(new Error('Killed'));
        });
        const killed = failureOf(catchUp(await successor(cut), run, history.events, [6]));
        expect(await killed).to.have.property('message', 'Killed');
        const store = await successor();
        await catchUp(store, run, history.events, sizes);
        await expectProjected(store, run, history);
      }
    });
  }

  it('are left as they are by an artifact that was written with a change of nothing that they count', async () => {
    const history = new History([form, write(1, { 4: [1] }), write(1, { 5: [1001] })]);
    const run = await served();
    await catchUp(worker(), run, history.events, [1]);
    await projectionDocuments(here.db).updateOne(
      { _id: IDS.idOf(artifacts.name) },
      { $set: { [`runs.${run}.position`]: history.events[1]!.position } },
    );
    const store = await successor();
    await catchUp(store, run, history.events, [1]);
    await expectProjected(store, run, history);
  });
});
