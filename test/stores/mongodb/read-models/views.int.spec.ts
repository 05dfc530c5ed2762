import { expect } from 'chai';
import { MongoNetworkError, type Db, type Document } from 'mongodb';
import { type Generation } from '../../../../src/core/projection.js';
import { ensureProjection, projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { projectionIds } from '../../../../src/stores/mongodb/projection-ids.js';
import { createDocuments } from '../../../../src/stores/mongodb/read-models/documents.js';
import { mongoViews, type View } from '../../../../src/stores/mongodb/read-models/views.js';
import { mongoReadModelStore } from '../../../../src/stores/mongodb/read-models/writer.js';
import { whileClockIsSetAhead } from '../../../support/clock-set-ahead.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { failureOf, ID, IDS, place, type Place } from './fixture.js';
import { authors, note, notes, openRun, PROJECTION, written } from '../../contracts/read-models-fixture.js';

const CURRENT: View = {
  name: 'notes_current',
  projection: PROJECTION,
  on: notes.name,
  joined: [authors.name],
  pipeline: (collectionOf) => [{ $lookup: { from: collectionOf(authors.name), pipeline: [], as: 'authors' } }],
};

const idOf = (version: number): string => projectionIds([{ name: PROJECTION, version }], 0).idOf(PROJECTION);

/** A stand-in has no views: this one has, and says by which command each was made what it is. */
function withViews(db: Db): { readonly db: Db; readonly views: Map<string, Document> } {
  const views = new Map<string, Document>();
  const instead: Readonly<Record<string, unknown>> = {
    createCollection: (name: string, definition: Document) => {
      views.set(name, { create: name, ...definition });
      return Promise.resolve();
    },
    command: ({ collMod, ...definition }: Document) => {
      views.set(String(collMod), { collMod, ...definition });
      return Promise.resolve();
    },
    listCollections: () => ({
      toArray: async () => [
        ...(await db.listCollections().toArray()),
        ...[...views.keys()].map((name) => ({ name, type: 'view' })),
      ],
    }),
  };
  const proxy = new Proxy(db, {
    get: (_, name) => {
      const member: unknown = instead[String(name)] ?? Reflect.get(db, name, db);
      return typeof member === 'function' ? (...args: unknown[]): unknown => Reflect.apply(member, db, args) : member;
    },
  });
  return { db: proxy, views };
}

forEachMongoDb('views of read models', ({ url }) => {
  let here: Place;
  let collections: () => Promise<readonly string[]>;

  beforeEach(() => {
    here = place(url());
    collections = async () => (await here.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  });

  afterEach(async () => {
    await here.close();
  });

  const filled = async (generation: Generation): Promise<void> => {
    for (const model of [notes, authors]) await createDocuments(here.db, model.name, generation);
  };
  const lookup = (generation: Generation) => ({
    viewOn: `${notes.name}.r${generation}`,
    pipeline: [{ $lookup: { from: `${authors.name}.r${generation}`, pipeline: [], as: 'authors' } }],
  });

  it('are not left as collections where the server has none', async () => {
    await filled(1);
    const before = await collections();
    await mongoViews(here.db, [CURRENT]).show(ID, 1);
    expect(await collections()).to.have.members([...before]);
  });

  it('are made, then changed to the generation that is served', async () => {
    const { db, views } = withViews(here.db);
    const { show } = mongoViews(db, [CURRENT]);
    await filled(1);
    await show(ID, 1);
    expect(views.get('notes_current')).to.deep.equal({ create: 'notes_current', ...lookup(1) });
    await filled(2);
    await show(ID, 2);
    expect(views.get('notes_current')).to.deep.equal({ collMod: 'notes_current', ...lookup(2) });
    const indexes = await here.db.collection(`${authors.name}.r2`).indexes();
    expect(indexes.map(({ key }) => key)).to.deep.include({ 'document.id': 1 });
    await show('others-v1', 3);
    expect(views.get('notes_current')).to.deep.include(lookup(2));
  });

  it('are changed once there is a primary again', async () => {
    const { db, views } = withViews(here.db);
    await filled(1);
    await filled(2);
    let failures = 0;
    const during = new Proxy(db, {
      get: (_, name) => {
        const member = Reflect.get(db, name, db) as (...args: unknown[]) => unknown;
        if (name !== 'command') return member;
        failures += 1;
        return failures === 1 ? () => Promise.reject(new MongoNetworkError('no primary')) : member;
      },
    });
    const { show } = mongoViews(during, [CURRENT]);
    await show(ID, 1);
    await show(ID, 2);
    expect(failures).to.equal(2);
    expect(views.get('notes_current')).to.deep.equal({ collMod: 'notes_current', ...lookup(2) });
  });

  it('leave a collection of the same name alone', async () => {
    await here.db.collection('notes_current').insertOne({ mine: true });
    expect(await failureOf(mongoViews(here.db, [CURRENT]).show(ID, 1))).to.be.instanceOf(Error);
    expect(await here.db.collection('notes_current').countDocuments()).to.equal(1);
  });

  it('show a later version for as long as a worker keeps it up to date', async () => {
    const { db, views } = withViews(here.db);
    const { show, showServed } = mongoViews(db, [CURRENT]);
    const states = projectionDocuments(here.db);
    for (const version of [1, 2]) await ensureProjection(states, idOf(version));
    await showServed(idOf(1));
    expect(views.size).to.equal(0);

    const [older, newer] = [1_000_001, 2_000_001];
    for (const generation of [older, newer]) await filled(generation);
    const lease = (ms: number) => ({ lease: { holder: 'somebody', expiresAt: new Date(Date.now() + ms) } });
    await states.updateOne({ _id: idOf(1) }, { $set: { serving: older } });
    await states.updateOne({ _id: idOf(2) }, { $set: lease(60_000) });
    await show(idOf(1), older);
    expect(views.get('notes_current')).to.deep.include(lookup(older));
    await states.updateOne({ _id: idOf(2) }, { $set: { serving: newer } });
    await showServed(idOf(2));
    // The lease ends by the clock of the server.
    await whileClockIsSetAhead(() => showServed(idOf(1)));
    expect(views.get('notes_current')).to.deep.include(lookup(newer));
    await states.updateOne({ _id: idOf(2) }, { $set: lease(-1) });
    await showServed(idOf(1));
    expect(views.get('notes_current')).to.deep.include(lookup(older));
  });

  it('change while the generation before is still there, and a failure holds up no commit', async () => {
    const seen: (readonly string[])[] = [];
    const errors: unknown[] = [];
    const show = async (): Promise<void> => {
      seen.push((await collections()).filter((name) => name.startsWith(`${notes.name}.`)).sort());
      throw new Error('no views today');
    };
    const store = mongoReadModelStore({
      db: here.db,
      ids: IDS,
      tokenOf: () => 0,
      views: { show, showServed: () => Promise.resolve() },
      onError: (error) => errors.push(error),
    });
    const served = async (): Promise<string> => {
      const { run, commit } = await openRun(store);
      await commit(1, written(note(1), 1));
      expect(await store.serve(PROJECTION, run)).to.equal(true);
      return `${notes.name}.r${run}`;
    };
    const [one, two] = [await served(), await served()];
    expect(seen).to.deep.equal([[one], [one, two]]);
    expect(await collections()).not.to.include(one);
    expect(errors).to.have.length(2);
  });
});
