import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, type Db } from 'mongodb';
import { type Change, type ReadModelStore } from '../../../../src/core/projection.js';
import { type Query } from '../../../../src/core/read-models.js';
import { type MongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { watchChanges } from '../../../../src/stores/mongodb/read-models/poller.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { ID, place, until, type Place } from './fixture.js';
import {
  at,
  authors,
  deleted,
  note,
  notes,
  openRun,
  PROJECTION,
  written,
  type Note,
  type Writing,
  reached,
  expectNotServed,
} from '../../contracts/read-models-fixture.js';

const page = (query: Partial<Query>): Query => ({
  where: [{ type: 'any-of', key: 'k', values: ['v'] }],
  direction: 'asc',
  limit: 3,
  offset: 0,
  ...query,
});
const found = (id: number): Note => note(id, { key: 'k', value: 'v' });

forEachMongoDb('reading read models', ({ name, url }) => {
  let here: Place;
  let store: ReadModelStore;
  let reader: MongoReadModels;
  let writing: Writing;

  beforeEach(async () => {
    here = place(url());
    store = await here.worker();
    reader = await here.reader();
    writing = await openRun(store);
    await store.serve(PROJECTION, writing.run);
  });

  afterEach(async () => {
    await here.close();
  });

  /** Commits until told to stop: `change` says what the commit of this number does. */
  const committing = (commit: (n: number) => Promise<void>): { readonly stop: () => Promise<number> } => {
    const over = new AbortController();
    const working = (async () => {
      let n = 1;
      while (!over.signal.aborted) await commit((n += 1));
      return n;
    })();
    return {
      stop: () => {
        over.abort();
        return working;
      },
    };
  };

  describe('while a worker commits', () => {
    it('gives pages and totals of one moment', async () => {
      await writing.commit(1, ...Array.from({ length: 20 }, (_, index) => written(found(10 + index), 1)));
      // The number of documents in front says which one is the fifteenth, and how many there are.
      const inFront = new Set<number>();
      const worker = committing((n) => {
        const id = Math.floor(Math.random() * 6);
        const isGone = inFront.delete(id);
        if (!isGone) inFront.add(id);
        return writing.commit(n, isGone ? deleted(id, n) : written(found(id), n));
      });
      const totals = new Set<number>();
      for (let n = 0; n < 60; n += 1) {
        const { items, total } = await reader.find(notes, page({ offset: 15 }));
        expect(items.map(({ id }) => id)).to.deep.equal([0, 1, 2].map((index) => 45 - total + index));
        totals.add(total);
      }
      await worker.stop();
      expect(totals.size).to.be.greaterThan(1);
    });

    it('gives pages that agree with their totals, however many documents there are', async () => {
      const all = Array.from({ length: 510 }, (_, id) => written(found(id), 1));
      await writing.commit(1, ...all);
      const worker = committing((n) => {
        const id = 500 + (n % 20);
        return writing.commit(n, n % 40 < 20 ? written(found(id), n) : deleted(id, n));
      });
      for (const offset of [496, 499, 502, 506, 510, 514, 518, 521]) {
        const { items, total } = await reader.find(notes, page({ offset }));
        expect(items.length).to.equal(Math.max(0, Math.min(3, total - offset)));
        expect(total).to.be.within(500, 520);
      }
      await worker.stop();
    });

    it('says that it has caught up only with what is there', async () => {
      const worker = committing((n) => writing.commit(n, written({ ...note(n % 3), title: `${n}` }, n)));
      for (let n = 2; n < 40; n += 3) {
        expect(await reader.caughtUp(PROJECTION, at(n), 5000)).to.equal(true);
        const titles = (await reader.getMany(notes, [0, 1, 2])).map(({ title }) => Number(title));
        expect(Math.max(...titles)).to.be.at.least(n);
      }
      await worker.stop();
    });

    it('hands every change to followers', async () => {
      const known = new Map<Note['id'], string>();
      const enough = new AbortController();
      await reader.subscribe(
        notes,
        (documents, complete) => {
          if (complete) known.clear();
          for (const { id, title = '' } of documents ?? []) known.set(id, title);
        },
        enough.signal,
      );
      const worker = committing((n) =>
        n % 7 === 0
          ? writing.commit(n, deleted(n % 5, n))
          : writing.commit(n, written({ ...note(n % 5), title: `${n}` }, n)),
      );
      await until(() => known.size > 3);
      const last = await worker.stop();
      expect(await reader.caughtUp(PROJECTION, at(last), 5000)).to.equal(true);
      const { items } = await reader.find(notes, { ...page({}), where: [], limit: 100 });
      expect(Object.fromEntries(known)).to.deep.equal(Object.fromEntries(items.map(({ id, title }) => [id, title])));
      enough.abort();
    });
  });

  it('serves several readers, each at its own pace', async () => {
    const others = await Promise.all([here.reader(), here.reader(here.connected(here.url))]);
    const all = [reader, ...others];
    const reached = Promise.all(all.map((one) => one.caughtUp(PROJECTION, at(1), 5000)));
    await writing.commit(1, written(found(1), 1));
    expect(await reached).to.deep.equal([true, true, true]);
    for (const one of all) expect((await one.find(notes, page({}))).total).to.equal(1);
  });

  it('gives the same object for as long as the document is the same', async () => {
    await writing.commit(1, written(found(1), 1), written(found(2), 1));
    const first = await reader.get(notes, 1);
    expect(await reader.get(notes, 1)).to.equal(first);
    expect((await reader.find(notes, page({}))).items[0]).to.equal(first);
    expect((await reader.getMany(notes, [1]))[0]).to.equal(first);
    await writing.commit(2, written({ ...found(1), title: 'new' }, 2));
    expect((await reader.get(notes, 1))?.title).to.equal('new');
  });

  it('tells what it knows of the projections', async () => {
    const lease = { holder: 'somebody', expiresAt: new Date(1_700_000_000_000) };
    await projectionDocuments(here.db).updateOne({ _id: ID }, { $set: { lease, version: 3, status: '"fine"' } });
    await writing.commit(4);
    expect(await reader.caughtUp(PROJECTION, at(4))).to.equal(true);
    const served = { generation: writing.run, ...reached(4) };
    expect(reader.states()).to.deep.equal([
      { projection: PROJECTION, token: 0, served, lease, version: 3, status: '"fine"' },
    ]);
  });

  it('tells since when it could not be told of changes', async () => {
    const before = Date.now();
    await until(() => Number(reader.followedAt()) > before);
    expect(reader.followedAt()).to.be.at.most(new Date(performance.timeOrigin + performance.now()));
  });

  it('is unavailable once the projections are forgotten', async () => {
    await writing.commit(1, written(found(1), 1));
    expect((await reader.find(notes, page({}))).total).to.equal(1);
    await projectionDocuments(here.db).updateOne({ _id: ID }, { $set: { serving: null, runs: {} } });
    await until(() => reader.states()[0]?.served === null);
    await expectNotServed(reader.find(notes, page({})));
  });

  describe('asks little', () => {
    let client: MongoClient;
    let asked: string[];

    beforeEach(async () => {
      client = new MongoClient(here.url, { monitorCommands: true });
      await client.connect();
      asked = [];
      client.on('commandStarted', ({ commandName, command }) => {
        // Looks at all projections, and the watch on them, go on by themselves.
        const isLook = command.find === 'projection-versions' && typeof command.filter._id !== 'string';
        const isWatch = command.aggregate === 'projection-versions' || ['getMore', 'killCursors'].includes(commandName);
        if (!isLook && !isWatch) asked.push(`${commandName} ${command[commandName]}`);
      });
    });

    afterEach(async () => {
      await client.close();
    });

    const askedBy = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      asked = [];
      await work();
      return asked.splice(0).sort();
    };
    const db = (): Db => client.db(here.db.databaseName);

    it('for documents and pages', async () => {
      await writing.commit(1, ...[1, 2, 3, 4].map((id) => written(found(id), 1)));
      await reader.caughtUp(PROJECTION, at(1));
      const watched = await here.reader(db());
      const collection = `notes.r${writing.run}`;
      const find = `find ${collection}`;
      const count = `aggregate ${collection}`;
      expect(await askedBy(() => watched.get(notes, 1))).to.deep.equal([find]);
      expect(await askedBy(() => watched.getMany(notes, [1, 2, 3]))).to.deep.equal([find]);
      expect(await askedBy(() => watched.find(notes, page({ limit: 10 })))).to.deep.equal([find]);
      expect(await askedBy(() => watched.find(notes, page({})))).to.deep.equal([
        count,
        find,
        'find projection-versions',
      ]);
      expect(await askedBy(() => watched.find(notes, page({ offset: 1 })))).to.deep.equal([
        find,
        'find projection-versions',
      ]);
      expect(await askedBy(() => watched.find(notes, page({ limit: 0, offset: 9 })))).to.deep.equal([
        'find projection-versions',
      ]);
      expect(await askedBy(() => watched.getMany(notes, []))).to.deep.equal([]);
      expect(await askedBy(() => watched.getSlice(notes, []))).to.deep.equal([]);
      const given = { from: authors, id: 1, take: () => ({ where: [], total: 4 }) };
      await writing.commit(2, written(found(1), 2));
      await watched.caughtUp(PROJECTION, at(2));
      const first = `find ${authors.name}.r${writing.run}`;
      expect(await askedBy(() => watched.find(notes, page({ given })))).to.deep.equal([
        first,
        find,
        'find projection-versions',
      ]);
      expect(await askedBy(() => watched.find(notes, page({ given })))).to.deep.equal([
        find,
        'find projection-versions',
      ]);
      const nothing = [{ type: 'any-of', key: 'k', values: [] }] as const;
      expect(await askedBy(() => watched.find(notes, page({ where: nothing })))).to.deep.equal([]);
      await watched.close();
    });

    it('for followers, while a commit is not done', async () => {
      await writing.commit(1, written(found(1), 1));
      const watched = await here.reader(db());
      const enough = new AbortController();
      await watched.subscribe(notes, () => undefined, enough.signal);
      const begun = { [`runs.${writing.run}.changed.notes`]: at(2) };
      await projectionDocuments(here.db).updateOne({ _id: ID }, { $set: begun });
      const looked = async (): Promise<void> => {
        const followed = Number(watched.followedAt());
        await until(() => Number(watched.followedAt()) > followed);
      };
      const lookedAgain = async (): Promise<void> => {
        for (let n = 0; n < 3; n += 1) await looked();
      };
      expect(await askedBy(lookedAgain)).to.deep.equal([]);
      await writing.commit(2, written(found(1), 2));
      expect(await askedBy(() => watched.caughtUp(PROJECTION, at(2)))).to.deep.equal([`find notes.r${writing.run}`]);
      enough.abort();
      await watched.close();
    });

    it('for a commit', async () => {
      const watched = await here.worker(db());
      const { run } = writing;
      const collection = `notes.r${run}`;
      const ids = [...Array(50).keys()];
      const changes = (n: number, before: Change['before']) => ids.map((id) => ({ ...written(found(id), n), before }));
      const commit = (n: number, before: Change['before']) =>
        watched.commit(PROJECTION, run, changes(n, before), reached(n));
      expect(await askedBy(() => watched.load(run, notes, ids))).to.deep.equal([`find ${collection}`]);
      const state = 'update projection-versions';
      expect(await askedBy(() => commit(1, null))).to.deep.equal([`insert ${collection}`, state, state]);
      const before = written(found(1), 1);
      expect(await askedBy(() => commit(2, before))).to.deep.equal([`update ${collection}`, state, state]);
      expect(await askedBy(() => watched.commit(PROJECTION, run, [], reached(3)))).to.deep.equal([state]);
      const filling = await watched.open(PROJECTION, ['notes'], 1);
      const first = () => watched.commit(PROJECTION, filling, [written(found(1), 1)], reached(1));
      expect(await askedBy(first)).to.deep.equal([`insert notes.r${filling}`, state]);
    });
  });

  it('learns of changes at once where the server tells them, and does without where it does not', async () => {
    const told: string[] = [];
    let position = 0;
    const ended = new AbortController();
    const commits = (async () => {
      while (!ended.signal.aborted) await writing.commit((position += 1));
    })();
    // A server that does not wait for changes is left after a few looks, which may all come between two changes.
    await until(async () => {
      const watch = new AbortController();
      const watching = watchChanges(projectionDocuments(here.db), () => told.push('changed'), watch.signal);
      await sleep(50);
      watch.abort();
      await watching;
      return told.length > 0 || name !== 'mongo-java-server';
    }).finally(() => {
      ended.abort();
    });
    await commits;
  });
});
