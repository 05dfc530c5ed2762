import { expect } from 'chai';
import { NO_MARKS } from '../../../../src/core/marks.js';
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyBatch } from '../../../../projections/engine/apply-batch.js';
import { type AnyProjection } from '../../../../projections/engine/generation-progress.js';
import { type Event, type Recorded } from '../../../../src/core/event-log.js';
import { effect, type Projection, type ReadModelStore } from '../../../../src/core/projection.js';
import { type Criterion } from '../../../../src/core/read-models.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { talliesOf } from '../../../../src/stores/mongodb/read-models/tallies.js';
import { mongoDatabase, type MongoDatabase } from '../../../../src/stores/mongodb/connection.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { gateTo } from '../../../support/mongodb/gate.js';
import { ID, failureOf, place, type Place } from './fixture.js';
import {
  at,
  deleted,
  everything,
  MODELS,
  note,
  notes,
  PROJECTION,
  servedRun,
  written,
  reached,
} from '../../contracts/read-models-fixture.js';

/** Null takes the note away. */
interface Marked {
  readonly id: number;
  readonly marks: readonly number[] | null;
}

const marked = (id: number, marks: readonly number[]) =>
  note(id, ...marks.map((value) => ({ key: 'mark', value, counted: true }) as const), {
    key: 'size',
    value: marks.length,
  });

const marking: Projection<Event<'Marked', Marked>> = {
  name: PROJECTION,
  version: 1,
  models: MODELS,
  when: {
    Marked: ({ data: { id, marks } }) => [effect(notes, id, () => (marks === null ? null : marked(id, marks)))],
  },
};
const projection: AnyProjection = marking;

const eventAt = (data: Marked, n: number): Recorded => ({
  type: 'Marked',
  data,
  id: `event ${n}`,
  stream: `note-${data.id}`,
  revision: n,
  position: at(n),
  metadata: { at: '2026-01-01T00:00:00.000Z', actor: null, schema: 1, commandId: 'c' },
});

/** As a runner does it: from the checkpoint on, in batches of these sizes. */
async function catchUp(
  store: ReadModelStore,
  run: number,
  history: readonly Recorded[],
  sizes: readonly number[],
): Promise<void> {
  let { position, event = null } = (await store.checkpoint(PROJECTION, run)) ?? { position: null };
  for (let turn = 0; ; turn += 1) {
    const left = history.filter((one) => position === null || one.position > position);
    const events = left.slice(0, sizes[turn % sizes.length]);
    const last = events.at(-1);
    if (last === undefined) return;
    const batch = { events, position: last.position, event: last.id };
    const applied = await applyBatch(
      { store, projection },
      { generation: run, position, event, marks: NO_MARKS },
      batch,
    );
    ({ position, event } = applied);
  }
}

forEachMongoDb('tallies', ({ name, url }) => {
  let here: Place;

  beforeEach(() => {
    here = place(url());
  });

  afterEach(async () => {
    await here.close();
  });

  const tallies = async (run: number): Promise<Readonly<Record<string, number>>> => {
    const rows = await talliesOf(here.db, notes.name, run).find({}).toArray();
    return Object.fromEntries(rows.map(({ v, n }) => [v.length, n]));
  };
  const opened = async () => {
    const store = await here.worker();
    const models = await here.reader();
    return { store, models, tell: () => undefined, close: () => Promise.resolve() };
  };

  it('are of combinations of values, and only of those that are counted', async () => {
    const { store, run, commit } = { store: await here.worker(), ...(await servedRun(await opened())) };
    await commit(1, written(marked(1, [1]), 1), written(marked(2, [1, 2]), 1), written(marked(3, [2, 1]), 1));
    expect(await tallies(run)).to.deep.equal({ 1: 1, 2: 2 });
    await commit(2, written(marked(2, [7]), 2), deleted(3, 2));
    expect(await tallies(run)).to.deep.equal({ 1: 1, 2: 0 });
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
  });

  it('that are wrong are noticed', async () => {
    const { store, run, commit } = { store: await here.worker(), ...(await servedRun(await opened())) };
    await commit(1, written(marked(1, [1]), 1), written(marked(2, [2]), 1));
    await talliesOf(here.db, notes.name, run).updateMany({}, { $inc: { n: 1 } });
    const finding = 'notes: 2 tallies that are not those of the documents';
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([finding]);
  });

  it('answer how many match, without a look at the documents', async () => {
    const place = await opened();
    const { run, commit } = await servedRun(place);
    await commit(1, ...Array.from({ length: 30 }, (_, id) => written(marked(id, id % 3 === 0 ? [1, 2] : [2]), 1)));
    const found = async (limit: number, ...values: readonly number[]): Promise<number> => {
      const where: readonly Criterion[] = [{ type: 'any-of', key: 'mark', values }];
      return (await place.models.find(notes, { ...everything, where, limit })).total;
    };
    expect([await found(5, 1), await found(5, 2), await found(5, 1, 2), await found(0, 1, 2)]).to.deep.equal([
      10, 30, 30, 30,
    ]);
    // Only a total that was never counted can be one that no document bears out.
    await talliesOf(here.db, notes.name, run).updateMany({}, { $inc: { n: 1000 } });
    const asked = { ...everything, where: [{ type: 'any-of', key: 'mark', values: [1] }] as const, limit: 5 };
    expect((await (await here.reader()).find(notes, asked)).total).to.equal(1010);
    expect(await found(5, 5)).to.equal(0);
  });

  const history = fc.array(
    fc.record({
      id: fc.integer({ min: 1, max: 4 }),
      marks: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }), { freq: 4 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
  const runs = name === 'ferretdb' ? 10 : 40;

  it('are right whatever cuts a commit short, and whoever finishes it', async () => {
    const property = fc.asyncProperty(
      history,
      fc.array(fc.record({ sizes, afterMs: fc.integer({ min: 0, max: 12 }) }), { maxLength: 3 }),
      sizes,
      async (changes, cuts, last) => {
        const { run } = await servedRun(await opened());
        const events = changes.map((data, index) => eventAt(data, index + 1));
        const databases: MongoDatabase[] = [];
        for (const { sizes: cut, afterMs } of cuts) {
          const gate = await gateTo(here.url);
          const database = mongoDatabase(gate.url);
          databases.push(database);
          const worker = await here.successor(database.db);
          await worker.checkpoint(PROJECTION, run);
          // It would wait for the server to come back.
          catchUp(worker, run, events, cut).catch(() => undefined);
          await sleep(afterMs);
          await gate.shut();
        }
        const successor = await here.successor();
        await catchUp(successor, run, events, last);
        expect(await successor.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
        expect((await here.state()).begun).to.deep.equal({});
        await Promise.all(databases.map((database) => database.close()));
      },
    );
    await fc.assert(property, { numRuns: runs });
  });

  it('are left alone by a worker that wakes up after somebody else has finished its commit', async () => {
    const property = fc.asyncProperty(history, sizes, sizes, fc.integer({ min: 0, max: 12 }), async (...given) => {
      const [changes, first, second, afterMs] = given;
      const { run } = await servedRun(await opened());
      const events = changes.map((data, index) => eventAt(data, index + 1));
      const gate = await gateTo(here.url);
      const database = mongoDatabase(gate.url);
      const paused = await here.worker(database.db);
      await paused.checkpoint(PROJECTION, run);
      // It may have been quick enough.
      const late = Promise.allSettled([catchUp(paused, run, events, first)]);
      await sleep(afterMs);
      gate.hold();
      const successor = await here.successor();
      await catchUp(successor, run, events, second);
      await gate.open();
      await late;
      expect(await successor.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
      await database.close();
      await gate.shut();
    });
    await fc.assert(property, { numRuns: runs });
  });

  it('are of a commit that is finished also where nothing of it is left to be written', async () => {
    const { run } = await servedRun(await opened());
    const events = [eventAt({ id: 1, marks: [1] }, 1), eventAt({ id: 2, marks: [2] }, 2)];
    await catchUp(await here.worker(), run, events, [1]);
    const tally = '{"of":["mark\\u0001nbff0000000000000"],"said":[]}';
    const begun = { position: at(2), differences: [{ model: notes.name, tally, n: 10 }] };
    const unfinished = { [`runs.${run}.writing`]: true, [`runs.${run}.position`]: at(1), [`begun.${run}`]: begun };
    await projectionDocuments(here.db).updateOne({ _id: ID }, { $set: unfinished });
    const successor = await here.successor();
    await catchUp(successor, run, events, [5]);
    const { runs: after, begun: left } = await here.state();
    expect(after[run]).to.include({ writing: false, position: at(2) });
    expect(left).to.deep.equal({});
    expect((await talliesOf(here.db, notes.name, run).findOne({ _id: tally }))?.n).to.equal(11);
  });

  it('that are begun are finished before anything else', async () => {
    const { run } = await servedRun(await opened());
    const begun = { position: at(2), event: `${at(2)} event-2`, differences: [] };
    await projectionDocuments(here.db).updateOne({ _id: ID }, { $set: { [`begun.${run}`]: begun } });
    const store = await here.worker();
    expect(store.begun(PROJECTION, run)).to.equal(null);
    await store.checkpoint(PROJECTION, run);
    expect(store.begun(PROJECTION, run)).to.deep.equal({ position: at(2), event: 'event-2' });
    const beyond = store.commit(PROJECTION, run, [deleted(1, 3)], reached(3));
    expect(await failureOf(beyond)).to.have.property('message', `A commit up to ${at(2)} comes before`);
    await store.commit(PROJECTION, run, [], reached(1));
    expect(store.begun(PROJECTION, run)).to.deep.equal({ position: at(2), event: 'event-2' });
    await store.commit(PROJECTION, run, [], reached(2));
    expect(store.begun(PROJECTION, run)).to.equal(null);
  });
});
