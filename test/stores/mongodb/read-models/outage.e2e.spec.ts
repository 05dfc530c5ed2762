import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Problem } from '../../../../src/core/problem.js';
import { type ReadModelStore } from '../../../../src/core/projection.js';
import { STALE_MS } from '../../../../src/stores/mongodb/read-models/state.js';
import { mongoReadModels, type MongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { mongoDatabase, unavailable, type MongoDatabase } from '../../../../src/stores/mongodb/connection.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { targetOf, tcpProxy, through, type TcpProxy } from '../../../support/tcp-proxy.js';
import { failureOf, IDS, place, until, type Place } from './fixture.js';
import {
  at,
  everything,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  written,
  type Writing,
  reached,
} from '../../contracts/read-models-fixture.js';

forEachMongoDb('read models whose server is away', ({ url }) => {
  let here: Place;
  let store: ReadModelStore;
  let proxy: TcpProxy;
  let far: MongoDatabase;
  let reader: MongoReadModels;
  let errors: unknown[];
  let writing: Writing;

  beforeEach(async () => {
    here = place(url());
    store = await here.worker();
    writing = await openRun(store);
    await store.serve(PROJECTION, writing.run);
    await writing.commit(1, written({ ...note(1), title: 'first' }, 1));
    proxy = await tcpProxy(targetOf(here.url));
    // Those of a test are shorter: the less it waits, the more it can look at.
    const by = new URL(through(proxy, here.url));
    by.searchParams.set('serverSelectionTimeoutMS', '300');
    by.searchParams.set('socketTimeoutMS', '1000');
    far = mongoDatabase(by.href);
    errors = [];
    reader = await mongoReadModels({ ids: IDS, db: far.db, onError: (error) => errors.push(error) });
  });

  afterEach(async () => {
    await reader.close();
    await far.close();
    await proxy.close();
    await here.close();
  });

  const goAway = (): void => {
    proxy.refuse();
    proxy.cut();
  };

  it('fail, and answer again when the server is back', async () => {
    expect((await reader.get(notes, 1))?.title).to.equal('first');
    goAway();
    const isUnavailable = () =>
      reader.get(notes, 1).then(
        () => false,
        (error: unknown) => error instanceof Problem,
      );
    await until(isUnavailable);
    const asked = [
      () => reader.get(notes, 1),
      () => reader.getMany(notes, [1]),
      () => reader.find(notes, everything),
      () => reader.subscribe(notes, () => undefined, new AbortController().signal),
      () => reader.get({ name: 'nobody-knows' }, 1),
    ];
    for (const ask of asked) {
      const failure = await failureOf(ask());
      expect(failure).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
      expect(failure).to.include({ message: 'The read models do not answer; retry later', retryAfter: 5 });
    }
    expect(await reader.caughtUp(PROJECTION, at(2), 50)).to.equal(false);
    expect(await reader.caughtUp(PROJECTION, at(1), 0)).to.equal(true);

    const reached = reader.caughtUp(PROJECTION, at(2), 20_000);
    await writing.commit(2, written({ ...note(1), title: 'second' }, 2));
    proxy.accept();
    expect(await reached).to.equal(true);
    expect((await reader.get(notes, 1))?.title).to.equal('second');
    expect(errors).to.satisfy((all: readonly unknown[]) => all.length > 0 && all.every((one) => one instanceof Error));
  });

  it('return the time of the last answer', async () => {
    goAway();
    await until(() => errors.length > 0);
    const followed = reader.followedAt();
    expect(await reader.caughtUp(PROJECTION, at(2), 300)).to.equal(false);
    expect(reader.followedAt()).to.deep.equal(followed);
    expect(reader.states()[0]?.served?.position).to.equal(at(1));
    proxy.accept();
    await until(() => Number(reader.followedAt()) > Number(followed));
  });

  it('notify subscribers of changes during the outage', async () => {
    const titles: string[] = [];
    const enough = new AbortController();
    const receive = (documents: readonly { readonly title?: string }[] | null): void => {
      titles.push(...(documents ?? []).map(({ title = '' }) => title));
    };
    await reader.subscribe(notes, receive, enough.signal);
    goAway();
    await until(() => errors.length > 0);
    await writing.commit(2, written({ ...note(1), title: 'second' }, 2));
    proxy.accept();
    expect(await reader.caughtUp(PROJECTION, at(2), 20_000)).to.equal(true);
    expect(titles).to.deep.equal(['first', 'second']);
    enough.abort();
  });

  it('are written to the end by a worker that tries again', async () => {
    const worker = await here.worker(far.db);
    const last = 12;
    let failures = 0;
    proxy.delay(10);
    const attempt = async (n: number, isCut: boolean): Promise<boolean> => {
      const cut = setTimeout(() => {
        proxy.cut();
      }, Math.random() * 80);
      if (!isCut) clearTimeout(cut);
      const changes = [1, 2, 3].map((id) => written({ ...note(id), title: `${n} ${id}` }, n));
      try {
        await worker.load(writing.run, notes, [1, 2, 3]);
        await worker.commit(PROJECTION, writing.run, changes, reached(n));
        return true;
      } catch (error) {
        expect(unavailable(error)).to.be.instanceOf(Problem);
        failures += 1;
        return false;
      } finally {
        clearTimeout(cut);
      }
    };
    for (let n = 2; n <= last; n += 1) {
      let isDone = await attempt(n, true);
      while (!isDone) isDone = await attempt(n, false);
    }
    proxy.delay(0);
    expect(failures).to.be.greaterThan(0);
    expect(await reader.caughtUp(PROJECTION, at(last), 20_000)).to.equal(true);
    const { items } = await reader.find(notes, everything);
    expect(items.map(({ title }) => title)).to.deep.equal([1, 2, 3].map((id) => `${last} ${id}`));
    expect(await store.verify(PROJECTION, writing.run, MODELS)).to.deep.equal([]);
  });

  it('are refused at once while the server hangs, after the first have waited', async () => {
    // As by default: a query waits for longer than a look is waited for.
    const by = new URL(through(proxy, here.url));
    by.searchParams.set('socketTimeoutMS', '60000');
    const own = mongoDatabase(by.href);
    const waiting = await mongoReadModels({ ids: IDS, db: own.db });
    const isRefused = async (ask: () => Promise<unknown>, ms: number): Promise<boolean> => {
      const failure = await Promise.race([failureOf(ask()), sleep(ms, null, { ref: false })]);
      return failure instanceof Problem && failure.kind === 'unavailable';
    };
    try {
      proxy.hang();
      await sleep(2 * STALE_MS);
      expect(await isRefused(() => waiting.get(notes, 1), 10_000)).to.equal(true);
      const asked = [
        () => waiting.get(notes, 1),
        () => waiting.find(notes, everything),
        () => waiting.subscribe(notes, () => undefined, new AbortController().signal),
        () => waiting.refreshState?.() ?? Promise.resolve(),
      ];
      for (const ask of asked) expect(await isRefused(ask, 1000)).to.equal(true);
      proxy.goOn();
      const isThere = () =>
        waiting.get(notes, 1).then(
          (found) => found?.title === 'first',
          () => false,
        );
      await until(isThere);
    } finally {
      proxy.goOn();
      await waiting.close();
      await own.close();
    }
  });

  it('are looked at by another connection once an answer is lost', async () => {
    const by = new URL(through(proxy, here.url));
    // Neither the driver nor its monitor would notice.
    by.searchParams.set('socketTimeoutMS', '60000');
    by.searchParams.set('heartbeatFrequencyMS', '60000');
    const followed = mongoDatabase(by.href);
    const own = await mongoReadModels({ ids: IDS, db: here.db, followed: followed.db });
    const isRead = (): Promise<boolean> =>
      own.get(notes, 1).then(
        () => true,
        () => false,
      );
    try {
      expect(await isRead()).to.equal(true);
      // The pool may just be about to open another one.
      await until(async () => {
        proxy.lose();
        return !(await isRead());
      });
      await until(isRead);
    } finally {
      await own.close();
      await followed.close();
    }
  });

  it('are read over a very long way', async () => {
    const slow = await mongoReadModels({ ids: IDS, db: here.connected(through(proxy, here.url)) });
    try {
      proxy.delay(500);
      await writing.commit(2, written({ ...note(1), title: 'second' }, 2));
      await slow.refreshState?.();
      expect((await slow.get(notes, 1))?.title).to.equal('second');
      expect((await slow.find(notes, everything)).items[0]?.title).to.equal('second');
    } finally {
      await slow.close();
    }
  });

  it('are read over a long way', async () => {
    proxy.delay(120);
    const began = performance.now();
    expect((await reader.get(notes, 1))?.title).to.equal('first');
    await writing.commit(2, written({ ...note(1), title: 'second' }, 2));
    expect(await reader.caughtUp(PROJECTION, at(2), 5000)).to.equal(true);
    expect((await reader.find(notes, everything)).items[0]?.title).to.equal('second');
    expect(performance.now() - began).to.be.greaterThan(240);
  });

  it('are not opened', async () => {
    goAway();
    const failure = await failureOf(mongoReadModels({ ids: IDS, db: far.db }));
    expect(failure).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
  });

  it('are closed without waiting for it', async () => {
    proxy.delay(60_000);
    const late = failureOf(reader.get(notes, 1));
    const waiting = reader.caughtUp(PROJECTION, at(2), 60_000);
    const began = performance.now();
    await reader.close();
    expect(performance.now() - began).to.be.lessThan(3000);
    expect(await waiting).to.equal(false);
    proxy.cut();
    expect(await late).to.be.instanceOf(Problem);
    const told = errors.length;
    expect(await failureOf(reader.get(notes, 1))).to.be.instanceOf(Problem);
    await reader.close();
    expect(errors.length).to.equal(told);
  });

  it('do not keep a process from ending once they are closed', async () => {
    const source = (name: string) =>
      JSON.stringify(new URL(`../../../../src/stores/mongodb/${name}.ts`, import.meta.url).href);
    const program = `
      import { mongoDatabase } from ${source('connection')};
      import { projectionIds } from ${source('projection-ids')};
      import { mongoReadModels } from ${source('read-models/reader')};
      import { mongoReadModelStore } from ${source('read-models/writer')};
      const { db, close } = mongoDatabase(${JSON.stringify(here.url)});
      const ids = projectionIds([{ name: 'notes', version: 1 }], 0);
      const models = await mongoReadModels({ db, ids });
      const store = mongoReadModelStore({ db, ids, tokenOf: () => 0 });
      await models.subscribe({ name: 'notes' }, () => undefined, new AbortController().signal);
      const waiting = models.caughtUp('notes', 'ffffffff', 60_000);
      const serving = await store.serving('notes');
      await models.close();
      await close();
      console.log(serving, await waiting);
    `;
    const options = ['--import', 'tsx', '--no-experimental-require-module', '--input-type=module', '--eval', program];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, options, { timeout: 15_000 });
    expect(stdout.trim()).to.equal(`${writing.run} false`);
    expect(stderr).to.equal('');
  });
});
