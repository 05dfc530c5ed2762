import { expect } from 'chai';
import { once } from 'node:events';
import { type FindCursor } from 'mongodb';
import { type Mark } from '../../../../src/core/marks.js';
import { type ReadModelStore } from '../../../../src/core/projection.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { byModel, writeModel } from '../../../../src/stores/mongodb/read-models/write.js';
import {
  collectionName,
  documentsOf,
  generationIn,
  INDEXES,
} from '../../../../src/stores/mongodb/read-models/documents.js';
import { switchTo } from '../../../../src/stores/mongodb/read-models/generations.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { failureOf, heldUp, place, type Place } from './fixture.js';
import { at, MODELS, note, notes, openRun, PROJECTION, reached, written } from '../../contracts/read-models-fixture.js';

type Cursor = FindCursor<Uint8Array>;
type Row = (bytes: Uint8Array) => unknown;

forEachMongoDb('runs of read models', ({ url }) => {
  let here: Place;
  let store: ReadModelStore;

  beforeEach(async () => {
    here = place(url());
    store = await here.worker();
  });

  afterEach(async () => {
    await here.close();
  });

  const collections = async (): Promise<readonly string[]> => {
    const all = await here.db.listCollections({}, { nameOnly: true }).toArray();
    return all.map(({ name }) => name).sort();
  };
  const ofRuns = (...runs: readonly number[]): readonly string[] =>
    [...runs.flatMap((run) => MODELS.map((model) => collectionName(model, run))), 'projection-versions'].sort();
  const servedRun = async (by: ReadModelStore, n: number): Promise<number> => {
    const { run, commit } = await openRun(by);
    await commit(n, written(note(1), n));
    expect(await by.serve(PROJECTION, run)).to.equal(true);
    return run;
  };

  it('begin with the indexes that queries walk', async () => {
    const { run } = await openRun(store);
    for (const model of MODELS) {
      const indexes = await documentsOf(here.db, model, run).indexes();
      expect(indexes.map(({ key }) => Object.entries(key))).to.deep.equal([
        [['_id', 1]],
        [
          ['e', 1],
          ['_id', 1],
        ],
        [['position', 1]],
      ]);
      expect(indexes.slice(1).map(({ key }) => key)).to.deep.equal(INDEXES.map(({ key }) => key));
    }
  });

  it('never have the number of another one', async () => {
    const first = await store.open(PROJECTION, MODELS, 1);
    await store.discard(PROJECTION, first, MODELS);
    const second = await store.open(PROJECTION, MODELS, 1);
    const third = await (await here.successor()).open(PROJECTION, MODELS, 1);
    expect([second, third]).to.deep.equal([first + 1, first + 2]);
  });

  it('leave nothing when they are discarded or replaced', async () => {
    await servedRun(store, 1);
    const two = await servedRun(store, 2);
    const discarded = await store.open(PROJECTION, MODELS, 1);
    await store.discard(PROJECTION, discarded, MODELS);
    await store.discard(PROJECTION, discarded, MODELS);
    expect(await collections()).to.deep.equal(ofRuns(two));
    expect(Object.keys((await here.state()).runs)).to.deep.equal([String(two)]);
  });

  it('take no commit that comes once they are discarded, or replaced', async () => {
    const one = await servedRun(store, 1);
    const two = await servedRun(store, 2);
    const discarded = await store.open(PROJECTION, MODELS, 1);
    await store.discard(PROJECTION, discarded, MODELS);
    for (const gone of [one, discarded]) {
      expect(await failureOf(store.commit(PROJECTION, gone, [], reached(3)))).to.be.instanceOf(Error);
      expect(await store.checkpoint(PROJECTION, gone)).to.equal(null);
    }
    expect(Object.keys((await here.state()).runs)).to.deep.equal([String(two)]);
  });

  it('that an earlier worker has left half filled are removed, and nothing else is', async () => {
    await servedRun(store, 1);
    const two = await servedRun(store, 2);
    const half = await openRun(store);
    await half.commit(1, written(note(1), 1));
    const others = ['notes', 'notes.rx', 'more-notes.r1', `notes.r${half.run + 7}`];
    for (const name of others) await here.db.createCollection(name);
    const next = await here.successor();
    const last = await next.open(PROJECTION, MODELS, 1);

    expect(await collections()).to.deep.equal([...ofRuns(two, last), ...others].sort());
    expect(await next.checkpoint(PROJECTION, half.run)).to.equal(null);
    expect(Object.keys((await here.state()).runs)).to.deep.equal([two, last].map(String));
  });

  it('that a worker goes on filling without knowing of its loss are removed by the next one that opens', async () => {
    const one = await servedRun(store, 1);
    const lost = await openRun(store);
    const next = await here.successor();
    const second = await next.open(PROJECTION, MODELS, 1);
    for (const [model, late] of byModel([written(note(1), 1)])) {
      await writeModel(documentsOf(here.db, model, lost.run), late);
    }
    expect(await collections()).to.include(collectionName(notes.name, lost.run));
    const third = await next.open(PROJECTION, MODELS, 1);
    expect(await collections()).to.deep.equal(ofRuns(one, third));
    expect(second).to.be.lessThan(third);
  });

  it('are seen by every reader when they are served, before anything else happens to them', async () => {
    const readers = await Promise.all([here.reader(), here.reader(here.connected(here.url))]);
    const runs = () => readers.map((reader) => reader.states()[0]?.served?.generation);
    const one = await servedRun(store, 1);
    expect(await Promise.all(readers.map((reader) => reader.get(notes, 1)))).to.deep.equal([note(1), note(1)]);
    expect(runs()).to.deep.equal([one, one]);
    const two = await openRun(store);
    await two.commit(1, written({ ...note(1), title: 'two' }, 1));
    expect(runs()).to.deep.equal([one, one]);
    await store.serve(PROJECTION, two.run);
    expect(runs()).to.deep.equal([two.run, two.run]);
    for (const reader of readers) expect((await reader.get(notes, 1))?.title).to.equal('two');
  });

  it('are asked once more where they were removed on the way to the server', async () => {
    const one = await servedRun(store, 1);
    const [asked, goingOn] = [new AbortController(), new AbortController()];
    const [isAsked, goesOn] = [once(asked.signal, 'abort'), once(goingOn.signal, 'abort')];
    const slow = heldUp(here.db, ({ collection, method, pass }) => {
      if (collection !== collectionName(notes.name, one) || method !== 'find') return pass();
      asked.abort();
      return { map: (row: Row) => ({ toArray: () => goesOn.then(() => (pass() as Cursor).map(row).toArray()) }) };
    });
    const reader = await here.reader(slow);
    const note1 = reader.get(notes, 1);
    await isAsked;
    const two = await openRun(store);
    await two.commit(1, written({ ...note(1), title: 'two' }, 1));
    await store.serve(PROJECTION, two.run);
    expect(await collections()).to.deep.equal(ofRuns(two.run));
    goingOn.abort();
    expect((await note1)?.title).to.equal('two');
  });

  it('are not switched to when the one that is served has moved on meanwhile', async () => {
    const one = await openRun(store);
    await one.commit(1);
    await store.serve(PROJECTION, one.run);
    const two = await openRun(store);
    await two.commit(1);
    const holder = { db: here.db, projections: projectionDocuments(here.db), tokenOf: () => 0 };
    const state = await here.state();
    await one.commit(2);

    expect(await switchTo(holder, state, two.run)).to.equal(false);
    expect(await store.serve(PROJECTION, two.run)).to.equal(false);
    expect(await switchTo(holder, await here.state(), two.run)).to.equal(true);
  });

  it('are switched to though the one that is served moves on while they are', async () => {
    const one = await openRun(store);
    await one.commit(1);
    await store.serve(PROJECTION, one.run);
    const two = await openRun(store);
    await two.commit(4);
    let later = 2;
    const db = heldUp(here.db, async ({ method, pass }) => {
      if (method === 'updateOne' && later < 4) await one.commit(later++);
      return pass();
    });
    expect(await (await here.worker(db)).serve(PROJECTION, two.run)).to.equal(true);
    expect((await here.state()).serving).to.equal(two.run);
    expect(later).to.equal(4);
  });

  it('are verified document by document', async () => {
    const { run, commit } = await openRun(store);
    await commit(5, ...[1, 2, 3, 4].map((id) => written(note(id), 5)));
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    const collection = documentsOf(here.db, notes.name, run);
    const [first, second, third, fourth] = await collection.find({}, { sort: { _id: 1 } }).toArray();
    await collection.updateOne({ _id: first!._id }, { $unset: { document: true } });
    await collection.updateOne({ _id: second!._id }, { $set: { body: '{' }, $unset: { document: true } });
    await collection.updateOne({ _id: third!._id }, { $set: { document: { id: 7 }, e: [] } });
    await collection.updateOne({ _id: fourth!._id }, { $set: { position: at(6) } });

    expect(await store.verify(PROJECTION, run, MODELS)).to.have.members([
      'notes: 1 documents neither there nor gone',
      'notes: 1 documents that cannot be read',
      'notes: 1 documents under the id of another one',
      'notes: 1 documents later than the checkpoint',
    ]);
  });

  it('are not sound before the checkpoint of what is written of them', async () => {
    const { run, commit } = await openRun(store);
    for (const [, early] of byModel([written(note(1), 1)]))
      await writeModel(documentsOf(here.db, notes.name, run), early);
    const findings = () => store.verify(PROJECTION, run, MODELS);
    expect(await findings()).to.deep.equal(['notes: 1 documents later than the checkpoint']);
    await commit(1);
    expect(await findings()).to.deep.equal([]);
  });

  it('that were left half filled leave no marks behind', async () => {
    const { run } = await openRun(store);
    const mark: Mark = { stream: 'note-1', type: 'Unheard', schema: 1, revision: 1, position: at(1), reason: 'newer' };
    await store.commit(PROJECTION, run, [], reached(1), [mark]);
    expect(await store.marks(PROJECTION, run)).to.deep.equal([mark]);
    await openRun(store);
    expect(await store.marks(PROJECTION, run)).to.deep.equal([]);
  });

  it('are verified by what the index finds', async () => {
    const { run, commit } = await openRun(store);
    await commit(5, written(note(1), 5), written(note(2), 5));
    await documentsOf(here.db, notes.name, run).updateMany({}, { $set: { e: [] } });
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal(['notes: 2 documents, but 0 in the index']);
  });

  it('have read models with names that collections can have', async () => {
    for (const name of ['no"tes', '', 'a.b', '$a', 'projections.r1']) {
      expect(await failureOf(store.open(PROJECTION, [name], 1))).to.be.instanceOf(Error);
    }
    expect(await store.serving(PROJECTION)).to.equal(null);
    expect(await collections()).to.deep.equal([]);
  });
});

describe('collections of runs', () => {
  it('tell the run of a read model', () => {
    expect(generationIn(collectionName('notes', 12), 'notes')).to.equal(12);
    expect(generationIn('notes.r1', 'not')).to.equal(null);
    expect(generationIn('more-notes.r1', 'notes')).to.equal(null);
    expect(generationIn('notes.r1.r2', 'notes')).to.equal(null);
    expect(generationIn('notes', 'notes')).to.equal(null);
  });
});
