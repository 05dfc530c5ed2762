/** Commands that come through late, or whose outcome is never told. */
import { expect } from 'chai';
import { NO_MARKS, type Mark } from '../../../../src/core/marks.js';
import { applyBatch } from '../../../../projections/engine/apply-batch.js';
import { files } from '../../../../projections/files.js';
import { type Event, type Recorded } from '../../../../src/core/event-log.js';
import { type ReadModelStore } from '../../../../src/core/projection.js';
import { type Document } from '../../../../src/core/read-models.js';
import { projectionDocuments, raise } from '../../../../src/stores/mongodb/projection-documents.js';
import { mongoReadModelStore } from '../../../../src/stores/mongodb/read-models/writer.js';
import { documentsOf } from '../../../../src/stores/mongodb/read-models/documents.js';
import { knownMarks, writeMarks } from '../../../../src/stores/mongodb/read-models/marks.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { gateTo } from '../../../support/mongodb/gate.js';
import { failureOf, heldUp, ID, IDS, place, until, type Place } from './fixture.js';
import { at, MODELS, note, notes, openRun, PROJECTION, written, reached } from '../../contracts/read-models-fixture.js';

const marked = (id: number, value: number) => note(id, { key: 'mark', value });
/** The checkpoint. */
const isMoving = (args: readonly unknown[]): boolean => JSON.stringify(args[1]).includes('.position');
const isSwitch = (args: readonly unknown[]): boolean => JSON.stringify(args[1]).includes('"serving"');
const never = new Promise<never>(() => undefined);

forEachMongoDb('what comes late to read models', ({ url }) => {
  let here: Place;

  beforeEach(() => {
    here = place(url());
  });

  afterEach(async () => {
    await here.close();
  });

  it('leaves a run that is served by then to be announced like any other', async () => {
    const gate = await gateTo(here.url);
    let [isCut, isCrashed] = [false, false];
    const db = heldUp(here.connected(gate.url), ({ collection, method, args, pass }) => {
      if (isCrashed && collection === 'projection-versions' && method === 'updateOne' && isMoving(args)) return never;
      if (isCut && method === 'drop') return Promise.reject(new Error('the connection has ended'));
      return pass();
    });
    const store = mongoReadModelStore({ ids: IDS, tokenOf: () => 0, db });
    for (const n of [1, 2]) {
      const { run, commit } = await openRun(store);
      await commit(n, written(marked(1, 1), 1));
      await store.serve(PROJECTION, run);
    }
    const { run, commit } = await openRun(store);
    await commit(3, written(marked(1, 1), 1));
    isCut = true;
    expect(await failureOf(store.serve(PROJECTION, run))).to.have.property('message', 'the connection has ended');
    expect(await store.serve(PROJECTION, run)).to.equal(true);
    isCut = false;

    const told: Document['id'][] = [];
    const reader = await here.reader();
    const enough = new AbortController();
    await reader.subscribe(notes, (documents) => told.push(...(documents ?? []).map(({ id }) => id)), enough.signal);
    await commit(4, written(marked(2, 1), 4));
    expect(await reader.caughtUp(PROJECTION, at(4))).to.equal(true);
    expect(told).to.include(2);
    enough.abort();

    isCrashed = true;
    void commit(5, written(marked(3, 1), 5));
    await until(async () => (await documentsOf(here.db, notes.name, run).countDocuments({})) === 3);
    const successor = await here.successor();
    await successor.checkpoint(PROJECTION, run);
    expect((await here.state()).runs[run]).to.deep.include({ position: at(4), changed: { notes: at(5) } });
    await successor.commit(PROJECTION, run, [written(marked(3, 1), 5)], reached(5));
    expect(await successor.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    await gate.shut();
  });

  it('leaves a run to be announced though the answer to its switch was lost', async () => {
    let isCut = false;
    const db = heldUp(here.db, async ({ collection, method, args, pass }) => {
      const answer = await pass();
      if (!isCut || collection !== 'projection-versions' || method !== 'updateOne' || !isSwitch(args)) return answer;
      isCut = false;
      throw new Error('the connection has ended');
    });
    const store = mongoReadModelStore({ ids: IDS, tokenOf: () => 0, db });
    const { run, commit } = await openRun(store);
    await commit(1, written(marked(1, 1), 1));
    isCut = true;
    expect(await failureOf(store.serve(PROJECTION, run))).to.have.property('message', 'the connection has ended');
    expect(await store.serve(PROJECTION, run)).to.equal(true);
    await commit(2, written(marked(2, 1), 2));
    expect((await here.state()).runs[run]).to.deep.include({ position: at(2), changed: { notes: at(2) } });
  });

  it('leaves a run to be announced that another worker has served, by the one that opened it', async () => {
    let token = 0;
    const store = mongoReadModelStore({ ids: IDS, tokenOf: () => token, db: here.db });
    const { run, commit } = await openRun(store);
    await commit(1, written(marked(1, 1), 1));
    expect(await (await here.successor()).serve(PROJECTION, run)).to.equal(true);
    await here.successor();
    ({ token } = await here.state());
    expect(await store.checkpoint(PROJECTION, run)).to.deep.equal(reached(1));
    await commit(2, written(marked(2, 1), 2));
    expect((await here.state()).runs[run]).to.deep.include({ position: at(2), changed: { notes: at(2) } });
  });

  it('does not undo what was announced since', async () => {
    const late: (() => unknown)[] = [];
    let [isLost, isCrashed] = [false, false];
    const db = heldUp(here.db, ({ collection, method, args, pass }) => {
      if (collection !== 'projection-versions' || method !== 'updateOne' || !isMoving(args)) return pass();
      if (isCrashed) return never;
      if (!isLost) return pass();
      isLost = false;
      late.push(pass);
      return Promise.reject(new Error('the connection has ended'));
    });
    const store = mongoReadModelStore({ ids: IDS, tokenOf: () => 0, db });
    const { run, commit } = await openRun(store);
    await store.serve(PROJECTION, run);
    isLost = true;
    await failureOf(commit(1, written(marked(1, 1), 1)));
    await commit(1);
    isCrashed = true;
    void commit(2, written(marked(2, 1), 2));
    await until(async () => (await documentsOf(here.db, notes.name, run).countDocuments({})) === 2);
    const before = await here.state();
    for (const command of late) await command();
    expect(late).to.have.length(1);
    expect(await here.state()).to.deep.equal(before);
    expect(before.runs[run]).to.deep.include({ position: at(1), changed: { notes: at(2) } });
    const successor = await here.successor();
    await successor.commit(PROJECTION, run, [written(marked(2, 1), 2)], reached(2));
    expect(await successor.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
  });

  for (const [index, model] of files.models.entries()) {
    it(`is no poison for a successor that has loaded ${index + 1} of what it changes: ${model}`, async () => {
      const events: readonly Event[] = [
        { type: 'FileUploadStarted', data: { fileId: 1, owner: 7, name: 'a', expected: null } },
        { type: 'FileChunkAdded', data: { fileId: 1, owner: 7, number: 1, digest: 'd', size: 5 } },
        { type: 'FileDiscarded', data: { fileId: 1, owner: 7, chunks: 1 } },
      ];
      const metadata = { at: '2026-01-01T00:00:00.000Z', actor: 1, schema: 1, commandId: 'c' };
      const [started, added, discarded] = events.map((event, n): Recorded => ({
        ...event,
        id: `e${n}`,
        stream: 'file-1',
        revision: n,
        position: at(n + 1),
        metadata,
      }));
      let wake: () => void = () => undefined;
      const waking = new Promise<void>((resolve) => (wake = resolve));
      let [isSleepy, isAsleep] = [false, false];
      const db = heldUp(here.db, ({ method, pass }) => {
        if (!isSleepy || !['insertMany', 'bulkWrite'].includes(method)) return pass();
        isAsleep = true;
        return waking.then(pass);
      });
      const sleepy = mongoReadModelStore({ ids: IDS, tokenOf: () => 0, db: here.db });
      const run = await sleepy.open(files.name, files.models, 1);
      const opened = { generation: run, position: null, event: null, marks: NO_MARKS };
      await applyBatch({ store: sleepy, projection: files }, opened, {
        events: [started!, added!],
        position: at(2),
        event: added!.id,
      });
      await sleepy.serve(files.name, run);
      const asleep = mongoReadModelStore({ ids: IDS, tokenOf: () => 0, db });
      const last = { events: [discarded!], position: at(3), event: discarded!.id };
      isSleepy = true;
      const late = failureOf(applyBatch({ store: asleep, projection: files }, { ...opened, position: at(2) }, last));
      await until(() => isAsleep);
      await projectionDocuments(here.db).updateOne({ _id: IDS.idOf(files.name) }, { $inc: { token: 1 } });
      const successor = mongoReadModelStore({ ids: IDS, tokenOf: () => 1, db: here.db });
      await successor.checkpoint(files.name, run);
      let loads = 0;
      const interrupted: ReadModelStore = {
        ...successor,
        load: async (...what) => {
          const found = await successor.load(...what);
          loads += 1;
          if (loads === index + 1) {
            wake();
            await late;
          }
          return found;
        },
      };
      const applied = await applyBatch({ store: interrupted, projection: files }, { ...opened, position: at(2) }, last);
      expect(applied).to.include({ poison: null, position: at(3) });
      expect(await successor.verify(files.name, run, files.models)).to.deep.equal([]);
    });
  }

  it('takes the place of no announcement that came after it', async () => {
    const { run } = await openRun(await here.worker());
    const fence = { db: here.db, projections: projectionDocuments(here.db), tokenOf: () => 0 };
    const announce = (count: number) =>
      raise(fence, ID, run, { 'changed.notes': at(count) }, { token: 0, count, commits: [] });
    await announce(2);
    expect(await failureOf(announce(1))).to.be.instanceOf(Error);
    expect((await here.state()).runs[run]).to.deep.include({ changed: { notes: at(2) } });
    expect((await here.state()).runs[run]?.recent).to.include({ count: 2 });
    await announce(3);
    expect((await here.state()).runs[run]?.recent).to.include({ count: 3 });
  });

  it('shows no mark of a commit without its checkpoint', async () => {
    const mark = (n: number): Mark => ({
      ...{ stream: `note-${n}`, type: 'Moved', schema: 2, revision: 3, position: at(n), reason: 'it moved' },
    });
    await writeMarks(here.db, ID, 1, [mark(1), mark(5)]);
    const seen = await knownMarks(here.db, { id: ID, generation: 1, marked: at(1) }, undefined);
    expect([...seen.marks.keys()]).to.deep.equal(['note-1']);
    const later = await knownMarks(here.db, { id: ID, generation: 1, marked: at(5) }, seen);
    expect([...later.marks.keys()]).to.deep.equal(['note-1', 'note-5']);
  });
});
