import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { type Interrupted, type InterruptedWork } from '../../src/core/recovery/interrupted-work.js';
import { type RecoveryOptions } from '../../src/composition/recovery.js';
import { FILES } from '../../src/files/file-view.js';
import { counting, EVERY_MS, failing, recoveries, until, type Recoveries } from './recovery-fixture.js';

describe('The recovery', () => {
  let here: Recoveries;
  before(async () => {
    here = await recoveries();
  });
  afterEach(() => here.stop());
  after(() => here.close());

  it('resumes every item although others fail, and logs which item failed', async () => {
    const [tries, done]: [number[], string[]] = [[], []];
    here.start([
      here.items('links', failing('a', tries), counting('b', done)),
      here.items('names', counting('c', done)),
    ]);
    await here.moreRounds(3);
    expect(done.slice(0, 2)).to.deep.equal(['b', 'c']);
    const failure = here.logged('interrupted work failed, retrying');
    expect(failure).to.include({ level: 50, what: 'links', item: 'a', failures: 1, retryInMs: EVERY_MS });
    expect(here.logged('resumed interrupted work')).to.include({ what: 'links', count: 1 });
  });

  it('tries an item less often the more often it has failed, and the others in every round', async () => {
    const [tries, done]: [number[], string[]] = [[], []];
    here.start([here.items('links', failing('a', tries), counting('b', done))]);
    while (tries.length < 4) await here.moreRounds(1);
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    for (const [index, pause] of pauses.entries()) expect(pause).to.be.at.least(EVERY_MS * 2 ** index);
    // The last round may not have come to it yet.
    expect(done.length).to.be.at.least(here.rounds() - 1);
  });

  it('counts an item that hangs as failed, goes on with the others, and does not begin it again meanwhile', async () => {
    const done: string[] = [];
    let [begun, goOn] = [0, (): void => undefined];
    const hanging: Interrupted = {
      id: 'a',
      resume: () => {
        begun += 1;
        if (begun > 1) return Promise.resolve(true);
        return new Promise((resolve) => {
          goOn = () => {
            resolve(true);
          };
        });
      },
    };
    here.start([here.items('links', hanging, counting('b', done)), here.items('names', counting('c', done))], {
      patienceMs: 10,
    });
    const reason = 'no end within 0.01 s';
    await here.toldOnce(({ items: [told] }) => told?.reason === reason && told.failures > 1);
    expect(begun).to.equal(1);
    expect(done).to.include.members(['b', 'c']);
    const failure = here.logged('interrupted work failed, retrying');
    expect(failure).to.deep.include({ what: 'links', item: 'a', failures: 1 });
    expect(failure?.['err']).to.include({ message: reason });
    goOn();
    await here.toldOnce(({ count }) => count === 0);
  });

  it('goes on with other work if the look-up of one kind hangs', async () => {
    const done: string[] = [];
    const broken: InterruptedWork = { what: 'links', projection: FILES, find: () => new Promise(() => undefined) };
    here.start([broken, here.items('names', counting('c', done))], { patienceMs: 10 });
    await here.moreRounds(2);
    expect(here.logged('interrupted work could not be read')).to.include({ what: 'links' });
    expect(done).to.include('c');
  });

  it('goes on with other work if the items of one kind cannot be looked up', async () => {
    const done: string[] = [];
    const broken: InterruptedWork = { what: 'links', projection: FILES, find: () => Promise.reject(new Error('away')) };
    here.start([broken, here.items('names', counting('c', done))]);
    await here.moreRounds(2);
    expect(done).to.include('c');
    expect(here.logged('interrupted work could not be read')).to.include({ what: 'links' });
  });

  it('tells the overview which items fail, why, since when and when they are tried next, until they do not', async () => {
    const tries: number[] = [];
    let resists = true;
    const item: Interrupted = {
      id: 'a',
      resume: () => (resists ? failing('a', tries).resume() : Promise.resolve(true)),
    };
    here.start([here.items('links', item, counting('b', [])), here.items('names', counting('c', []))]);
    const { count, items } = await here.toldOnce((told) => (told.items[0]?.failures ?? 0) > 1);
    expect(count).to.equal(1);
    expect(items).to.have.length(1);
    const [told] = items;
    expect(told).to.include({ what: 'links', item: 'a', reason: 'a resists' });
    expect(Date.parse(told!.nextTry)).to.be.at.least(Date.parse(told!.since) + 2 * EVERY_MS);
    resists = false;
    expect(await here.toldOnce((now) => now.count === 0)).to.deep.equal({ count: 0, items: [] });
  });

  it('counts the try before its own of an item that fails, and tells the time of that', async () => {
    const triedAt = '2026-11-22T10:00:00.000Z';
    let resists = true;
    const resume = () => (resists ? failing('a', []).resume() : Promise.resolve(true));
    here.start([here.items('archives', { id: 'a', triedAt, resume })]);
    const { items } = await here.toldOnce((told) => told.count > 0);
    expect(items[0]).to.include({ item: 'a', since: triedAt }).and.have.property('failures').that.is.at.least(2);
    expect(here.logged('interrupted work failed, retrying')).to.include({ failures: 2, retryInMs: 2 * EVERY_MS });
    const later = await here.toldOnce((told) => (told.items[0]?.failures ?? 0) > 2);
    expect(later.items[0]).to.include({ since: triedAt });
    resists = false;
    await here.toldOnce((told) => told.count === 0);
  });

  it('tells the overview of 20 items that fail, and how many there are', async () => {
    const many = Array.from({ length: 25 }, (_, index) => failing(`item ${index}`, []));
    here.start([here.items('links', ...many)]);
    const { count, items } = await here.toldOnce((told) => told.count > 0);
    expect(count).to.equal(25);
    expect(items.map(({ item }) => item)).to.deep.equal(many.slice(0, 20).map(({ id }) => id));
  });

  it('tells no more of an item that failed once it is not left undone any more', async () => {
    let left = [failing('a', [])];
    here.start([here.work('links', () => Promise.resolve(left))]);
    await here.toldOnce((told) => told.count === 1);
    left = [];
    await here.toldOnce((told) => told.count === 0);
  });

  it('tells the beginning of a long reason', async () => {
    const reason = 'resists '.repeat(100);
    const resume = () => Promise.reject(new Error(reason));
    here.start([here.items('links', { id: 'a', resume })]);
    const { items } = await here.toldOnce((told) => told.count > 0);
    expect(items[0]?.reason).to.equal(reason.slice(0, 500));
  });

  it('tries an item that fails again within an hour, however often it has failed', async () => {
    const triedAt = '2026-11-22T10:00:00.000Z';
    here.start([here.items('links', { ...failing('a', []), triedAt })], { everyMs: 40 * 60 * 1000 });
    const failure = 'interrupted work failed, retrying';
    await until(() => here.logged(failure) !== undefined);
    expect(here.logged(failure)).to.include({ failures: 2, retryInMs: 60 * 60 * 1000 });
  });

  it('looks for work that is older than 30 seconds, in its first round as in all others', async () => {
    const asked: string[] = [];
    const names = here.work('names', (before) => {
      asked.push(before.toISOString());
      return Promise.resolve([]);
    });
    here.start([names], { clock: () => new Date('2026-11-22T12:00:00Z') });
    await here.moreRounds(2);
    expect(asked.slice(0, 2)).to.deep.equal(['2026-11-22T11:59:30.000Z', '2026-11-22T11:59:30.000Z']);
  });

  it('resumes nothing while the read model is behind', async () => {
    let looks = 0;
    const behind = {
      ...here.stores.readModels,
      caughtUp: () => Promise.resolve((looks += 1) === 0),
    };
    here.start([here.items('links')], { stores: { ...here.stores, readModels: behind } });
    await until(() => looks >= 3);
    expect(here.rounds()).to.equal(0);
    expect(here.logged('read model behind, recovery skipped')).to.include({ projection: FILES });
  });

  it('keeps the items that fail in the overview while the read model is behind', async () => {
    let isBehind = false;
    let looks = 0;
    const { readModels } = here.stores;
    const caughtUp: typeof readModels.caughtUp = async (...given) => {
      looks += 1;
      return !isBehind && readModels.caughtUp(...given);
    };
    here.start([here.items('links', failing('a', []))], {
      stores: { ...here.stores, readModels: { ...readModels, caughtUp } },
    });
    await here.toldOnce((told) => told.count === 1);
    isBehind = true;
    const enough = looks + 3;
    await until(() => looks >= enough);
    expect(await here.toldOnce(() => true)).to.have.property('count', 1);
  });

  it('runs in one process at a time, and in another one once that stops', async () => {
    const rounded: string[] = [];
    const by = (name: string): InterruptedWork =>
      here.work('names', () => {
        rounded.push(name);
        return Promise.resolve([]);
      });
    const first = here.start([by('first')]);
    await here.moreRounds(1);
    here.start([by('second')]);
    await here.moreRounds(4);
    expect(new Set(rounded)).to.deep.equal(new Set(['first']));
    await first.stop();
    rounded.length = 0;
    await here.moreRounds(2);
    expect(new Set(rounded)).to.deep.equal(new Set(['second']));
  });

  it('ends its round between two items when it loses its lease, and begins anew with the next one', async () => {
    const losing = new AbortController();
    let leases = 0;
    const withLease: RecoveryOptions['stores']['withLease'] = (_, run) => {
      leases += 1;
      return run(leases === 1 ? losing.signal : new AbortController().signal);
    };
    const under: number[] = [];
    const item = (id: string): Interrupted => ({
      id,
      resume: () => {
        losing.abort();
        under.push(leases);
        return Promise.resolve(true);
      },
    });
    here.start([here.items('names', item('first'), item('next'))], { stores: { ...here.stores, withLease } });
    await here.moreRounds(2);
    expect(under.slice(0, 2)).to.deep.equal([1, 2]);
  });

  it('stops between two items', async () => {
    const done: string[] = [];
    const started = new PassThrough();
    const slow: Interrupted = {
      id: 'slow',
      resume: async () => {
        started.emit('begun');
        await new Promise((resolve) => started.once('go on', resolve));
        return true;
      },
    };
    const begun = once(started, 'begun');
    const one = here.start([here.items('names', slow, counting('next', done))]);
    await begun;
    const stopped = one.stop();
    started.emit('go on');
    await stopped;
    expect(done).to.deep.equal([]);
  });

  it('stops while it waits for a read model, and logs nothing and looks for nothing more', async () => {
    let looks = 0;
    let closed = (): void => undefined;
    const caughtUp = (): Promise<boolean> => {
      looks += 1;
      return new Promise((_, reject) => {
        closed = () => {
          reject(new Error('Database connection is closed'));
        };
      });
    };
    const stores = { ...here.stores, readModels: { ...here.stores.readModels, caughtUp } };
    const one = here.start([here.items('links'), here.items('names')], { stores });
    await until(() => looks === 1);
    await one.stop();
    closed();
    await new Promise(setImmediate);
    expect({ looks, lines: here.lines() }).to.deep.equal({ looks: 1, lines: [] });
  });

  it('logs no failure of an item that the end of the stores cuts off', async () => {
    let cutOff: (() => void) | undefined;
    const item: Interrupted = {
      id: 'a',
      resume: () =>
        new Promise((_, reject) => {
          cutOff = () => {
            reject(new Error('Database connection is closed'));
          };
        }),
    };
    const one = here.start([here.items('links', item)]);
    await until(() => cutOff !== undefined);
    const stopped = one.stop();
    cutOff?.();
    await stopped;
    expect(here.lines()).to.deep.equal([]);
  });
});
