/** What processes of several releases keep side by side in one database. */
import { expect } from 'chai';
import { type Lease } from '../../../../src/core/lease.js';
import { type ReadModelStore } from '../../../../src/core/projection.js';
import { projectionLeases } from '../../../../src/stores/mongodb/leases.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { firstRunAfter, projectionIds } from '../../../../src/stores/mongodb/projection-ids.js';
import { mongoReadModels, type MongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { mongoReadModelStore } from '../../../../src/stores/mongodb/read-models/writer.js';
import { mongoRebuildRequests } from '../../../../src/stores/mongodb/rebuild-requests.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { failureOf, heldUp, place, until, type Place } from './fixture.js';
import {
  at,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  written,
  type Writing,
} from '../../contracts/read-models-fixture.js';

/** As a process has it that has this version of the projection, and its lease. */
interface Release {
  readonly version: number;
  readonly store: ReadModelStore;
  readonly models: MongoReadModels;
  readonly lease: Lease;
}

const idsOf = (version: number) => projectionIds([{ name: PROJECTION, version }]);
const idOf = (version: number): string => idsOf(version).idOf(PROJECTION);

forEachMongoDb('versions of a projection', ({ url }) => {
  let here: Place;
  let closes: (() => Promise<void>)[];
  beforeEach(() => {
    here = place(url());
    closes = [];
  });
  afterEach(async () => {
    for (const close of closes.reverse()) await close();
    await here.close();
  });

  /** Waits for nobody: at most one process of each version runs. */
  const release = async (version: number, db = here.db): Promise<Release> => {
    const [ids, leases] = [idsOf(version), projectionLeases(here.db)];
    const lease = await leases.acquireIfFree(ids.idOf(PROJECTION));
    if (lease === null) throw new Error('Somebody has the lease');
    const models = await mongoReadModels({ db, ids });
    closes.push(models.close, () => lease.release());
    return { version, store: mongoReadModelStore({ db, ids, tokenOf: () => lease.token }), models, lease };
  };
  /** One document, which tells of what version it is. */
  const filled = async ({ store, version }: Release, n = 1): Promise<Writing> => {
    const writing = await openRun(store, version);
    await writing.commit(n, written({ ...note(1), title: `of ${version}` }, n));
    return writing;
  };
  const served = async (by: Release): Promise<Writing> => {
    const writing = await filled(by);
    expect(await by.store.serve(PROJECTION, writing.run)).to.equal(true);
    return writing;
  };
  const title = async ({ models }: Release): Promise<unknown> => (await models.get(notes, 1))?.title;
  const ended = async (...releases: readonly Release[]): Promise<void> => {
    for (const { lease } of releases) await lease.release();
  };
  const versions = async (): Promise<readonly string[]> =>
    (await projectionDocuments(here.db).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
  const collections = async (): Promise<readonly string[]> =>
    (await here.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);

  it('are filled beside each other, and each reader sees its own', async () => {
    const older = await release(1);
    const serving = await served(older);
    const newer = await release(2);
    const filling = await filled(newer);
    expect(await failureOf(title(newer))).to.have.property('kind', 'unavailable');
    expect(newer.models.states().map((state) => state.served)).to.deep.equal([null]);

    await serving.commit(2, written({ ...note(1), title: 'changed' }, 2));
    expect(await older.models.caughtUp(PROJECTION, at(2))).to.equal(true);
    expect(await title(older)).to.equal('changed');
    await filling.commit(3);
    await newer.store.serve(PROJECTION, filling.run);
    expect(await newer.models.caughtUp(PROJECTION, at(3))).to.equal(true);
    expect([await title(older), await title(newer)]).to.deep.equal(['changed', 'of 2']);

    await serving.commit(4, written({ ...note(1), title: 'changed again' }, 4));
    expect(await older.models.caughtUp(PROJECTION, at(4))).to.equal(true);
    expect(await newer.models.caughtUp(PROJECTION, at(4), 0)).to.equal(false);
    expect([await title(older), await title(newer)]).to.deep.equal(['changed again', 'of 2']);
    for (const { models } of [older, newer])
      expect(models.states().map(({ projection }) => projection)).to.deep.equal([PROJECTION]);
  });

  it('are all later in the next encoding', () => {
    const first = (version: number, encoding: number): number =>
      firstRunAfter(projectionIds([{ name: PROJECTION, version }], encoding).idOf(PROJECTION));
    expect(first(0, 1)).to.be.above(first(999, 0));
    expect(projectionIds([{ name: PROJECTION, version: 7 }], 0).idOf(PROJECTION)).to.equal(`${PROJECTION}-v7`);
  });

  it('have numbers of runs that never meet, and leave the unfinished ones of others alone', async () => {
    const [older, newer] = [await release(1), await release(2)];
    const [one, two] = [await filled(older), await filled(newer)];
    expect(two.run).to.be.above(one.run);
    const next = await older.store.open(PROJECTION, MODELS, 1);
    expect(next).to.equal(one.run + 1);
    await newer.store.open(PROJECTION, MODELS, 2);
    const left = await collections();
    expect(left).to.include(`notes.r${next}`).and.not.include(`notes.r${one.run}`).and.not.include(`notes.r${two.run}`);
  });

  it('are rebuilt by workers of their own', async () => {
    const [older, newer] = [1, 2].map((version) => mongoRebuildRequests(here.db, idsOf(version)));
    await newer!.ask({ projection: PROJECTION, together: [PROJECTION] }, 'wish');
    expect([...(await older!.open())]).to.deep.equal([]);
    expect(await older!.take(PROJECTION, 1)).to.equal(null);
    expect([...(await newer!.open())]).to.deep.equal([PROJECTION]);
    expect(await newer!.take(PROJECTION, 1)).to.include({ id: 'wish' });
  });

  it('are kept, the last one before those that are served, until a later one is', async () => {
    const [first, second] = [await release(1), await release(2)];
    const { run } = await served(first);
    await served(second);
    await ended(first, second);
    const third = await release(3);
    expect(await versions()).to.deep.equal([1, 2, 3].map(idOf));
    await served(third);
    expect(await versions()).to.deep.equal([2, 3].map(idOf));
    expect(await collections()).not.to.include(`notes.r${run}`);

    const again = await release(2);
    expect(await title(again)).to.equal('of 2');
    expect(await again.store.serving(PROJECTION)).not.to.equal(null);
  });

  it('go on for as long as a process has them, however many there are', async () => {
    const [first, second, third] = [await release(1), await release(2), await release(3)];
    const { commit } = await served(first);
    await served(second);
    await served(third);
    await commit(2, written({ ...note(1), title: 'goes on' }, 2));
    expect(await first.models.caughtUp(PROJECTION, at(2))).to.equal(true);
    expect(await title(first)).to.equal('goes on');
  });

  it('are removed one by one, around those that a process has', async () => {
    const [first, second] = [await release(1), await release(2)];
    const [third, fourth] = [await release(3), await release(4)];
    for (const one of [first, second, third, fourth]) await served(one);
    await ended(first, third, fourth);
    await served(await release(5));
    expect(await versions()).to.deep.equal([2, 4, 5].map(idOf));
    expect(await title(second)).to.equal('of 2');
  });

  it('that are gone take nothing from a worker that wakes up late', async () => {
    const [first, second] = [await release(1), await release(2)];
    const { run, commit } = await served(first);
    await served(second);
    await ended(first, second);
    await served(await release(3));
    expect(await failureOf(commit(2, written(note(2), 2)))).to.have.property(
      'message',
      `Another worker has taken over ${idOf(1)}`,
    );
    expect(await collections()).not.to.include(`notes.r${run}`);
    expect(await versions()).to.deep.equal([2, 3].map(idOf));
  });

  it('that somebody has begun to remove lose nothing that a worker has filled since', async () => {
    const [first, second] = [await release(1), await release(2)];
    await served(first);
    await served(second);
    await ended(first, second);
    let isBegun = false;
    let goOn = (): void => undefined;
    const pause = new Promise<void>((resolve) => (goOn = resolve));
    const db = heldUp(here.db, ({ collection, method, pass }) => {
      if (collection !== 'marks' || method !== 'deleteMany') return pass();
      isBegun = true;
      return pause.then(pass);
    });
    const third = await release(3, db);
    const removing = third.store.serve(PROJECTION, (await filled(third)).run);
    await until(() => isBegun);
    await projectionDocuments(here.db).updateOne({ _id: idOf(1) }, { $set: { 'lease.expiresAt': new Date(0) } });
    const again = await release(1);
    await served(again);
    goOn();
    expect(await removing).to.equal(true);
    expect(await title(again)).to.equal('of 1');
  });

  it('are served although the older ones cannot be removed, which is tried again', async () => {
    const [first, second] = [await release(1), await release(2)];
    const { run } = await served(first);
    await served(second);
    await ended(first, second);
    let isCut = true;
    const db = heldUp(here.db, ({ method, pass }) =>
      isCut && method === 'drop' ? Promise.reject(new Error('the connection has ended')) : pass(),
    );
    const lease = await projectionLeases(here.db).acquireIfFree(idOf(3));
    const told: unknown[] = [];
    const onError = (error: unknown): unknown => told.push(error);
    const store = mongoReadModelStore({ db, ids: idsOf(3), tokenOf: () => lease!.token, onError });
    const models = await mongoReadModels({ db, ids: idsOf(3) });
    closes.push(models.close);
    const third: Release = { version: 3, store, models, lease: lease! };
    await served(third);
    expect(await title(third)).to.equal('of 3');
    expect(told).to.have.length(1);
    expect(await versions()).to.deep.equal([1, 2, 3].map(idOf));
    isCut = false;
    await served(third);
    expect(await versions()).to.deep.equal([2, 3].map(idOf));
    expect(await collections()).not.to.include(`notes.r${run}`);
    await ended(third);
  });
});
