import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { type Interrupted, type InterruptedWork } from '../../src/core/recovery/interrupted-work.js';
import { FILES } from '../../src/files/file-view.js';
import { type FailingWork } from '../../src/core/recovery/failing-work.js';
import { type Overview } from '../../src/operations/operations.js';
import { recovery, type Recovery, type RecoveryOptions } from '../../src/composition/recovery.js';
import { runService, type RunningService } from '../support/service.js';

describe('The recovery', () => {
  let service: RunningService;
  let lines: Record<string, unknown>[];
  let rounds: number;
  const running: Recovery[] = [];
  before(async () => {
    service = await runService();
  });
  beforeEach(() => {
    lines = [];
    rounds = 0;
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });
  after(() => service.stop());

  const every = 20;
  const start = (work: readonly InterruptedWork[], more: Partial<RecoveryOptions> = {}): Recovery => {
    const stream = new PassThrough();
    stream.on('data', (line: Buffer) => lines.push(JSON.parse(String(line)) as Record<string, unknown>));
    const { service: stores } = service;
    const logger = pino(stream);
    const started = recovery({ work, stores, clock: stores.clock, logger, everyMs: every, ...more });
    running.push(started);
    return started;
  };
  const work = (what: string, ...items: readonly Interrupted[]): InterruptedWork => ({
    what,
    projection: FILES,
    find: () => {
      rounds += 1;
      return Promise.resolve(items);
    },
  });
  const moreRounds = async (count: number): Promise<void> => {
    const until = rounds + count;
    while (rounds < until) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const failing = (id: string, tries: number[]): Interrupted => ({
    id,
    resume: () => {
      tries.push(performance.now());
      return Promise.reject(new Error(`${id} resists`));
    },
  });
  const counting = (id: string, done: string[]): Interrupted => ({
    id,
    resume: () => {
      done.push(id);
      return Promise.resolve(true);
    },
  });

  it('resumes every item although others fail, and logs which item failed', async () => {
    const [tries, done]: [number[], string[]] = [[], []];
    start([work('links', failing('a', tries), counting('b', done)), work('names', counting('c', done))]);
    await moreRounds(3);
    expect(done.slice(0, 2)).to.deep.equal(['b', 'c']);
    const failure = lines.find(({ msg }) => msg === 'interrupted work could not be resumed');
    expect(failure).to.include({ level: 50, what: 'links', item: 'a', failures: 1, retryInMs: every });
    expect(lines.find(({ msg }) => msg === 'resumed interrupted work')).to.include({ what: 'links', count: 1 });
  });

  it('tries an item less often the more often it has failed, and the others in every round', async () => {
    const [tries, done]: [number[], string[]] = [[], []];
    start([work('links', failing('a', tries), counting('b', done))]);
    while (tries.length < 4) await moreRounds(1);
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    for (const [index, pause] of pauses.entries()) expect(pause).to.be.at.least(every * 2 ** index);
    expect(done.length).to.be.above(tries.length);
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
    start([work('links', hanging, counting('b', done)), work('names', counting('c', done))], { patienceMs: 10 });
    const reason = 'no end within 0.01 s';
    await toldOnce(({ items: [told] }) => told?.reason === reason && told.failures > 1);
    expect(begun).to.equal(1);
    expect(done).to.include.members(['b', 'c']);
    const failure = lines.find(({ msg }) => msg === 'interrupted work could not be resumed');
    expect(failure).to.deep.include({ what: 'links', item: 'a', failures: 1 });
    expect(failure?.['err']).to.include({ message: reason });
    goOn();
    await toldOnce(({ count }) => count === 0);
  });

  it('goes on with other work if the look-up of one kind hangs', async () => {
    const done: string[] = [];
    const broken: InterruptedWork = { what: 'links', projection: FILES, find: () => new Promise(() => undefined) };
    start([broken, work('names', counting('c', done))], { patienceMs: 10 });
    await moreRounds(2);
    expect(lines.find(({ msg }) => msg === 'interrupted work could not be looked up')).to.include({ what: 'links' });
    expect(done).to.include('c');
  });

  it('goes on with other work if the items of one kind cannot be looked up', async () => {
    const done: string[] = [];
    const broken: InterruptedWork = { what: 'links', projection: FILES, find: () => Promise.reject(new Error('away')) };
    start([broken, work('names', counting('c', done))]);
    await moreRounds(2);
    expect(done).to.include('c');
    expect(lines.find(({ msg }) => msg === 'interrupted work could not be looked up')).to.include({ what: 'links' });
  });

  const toldOnce = async (holds: (told: FailingWork) => boolean): Promise<FailingWork> => {
    for (;;) {
      const { failingWork } = (await service.operate('overview', {})) as Overview;
      if (holds(failingWork)) return failingWork;
      await moreRounds(1);
    }
  };

  it('tells the overview which items fail, why, since when and when they are tried next, until they do not', async () => {
    const tries: number[] = [];
    let resists = true;
    const item: Interrupted = {
      id: 'a',
      resume: () => (resists ? failing('a', tries).resume() : Promise.resolve(true)),
    };
    start([work('links', item, counting('b', [])), work('names', counting('c', []))]);
    const { count, items } = await toldOnce((told) => (told.items[0]?.failures ?? 0) > 1);
    expect(count).to.equal(1);
    expect(items).to.have.length(1);
    const [told] = items;
    expect(told).to.include({ what: 'links', item: 'a', reason: 'a resists' });
    expect(Date.parse(told!.nextTry)).to.be.at.least(Date.parse(told!.since) + 2 * every);
    resists = false;
    expect(await toldOnce((now) => now.count === 0)).to.deep.equal({ count: 0, items: [] });
  });

  it('tells the overview of 20 items that fail, and how many there are', async () => {
    const many = Array.from({ length: 25 }, (_, index) => failing(`item ${index}`, []));
    start([work('links', ...many)]);
    const { count, items } = await toldOnce((told) => told.count > 0);
    expect(count).to.equal(25);
    expect(items.map(({ item }) => item)).to.deep.equal(many.slice(0, 20).map(({ id }) => id));
  });

  it('looks for work that is older than 30 seconds, in its first round as in all others', async () => {
    const asked: string[] = [];
    const find: InterruptedWork['find'] = (before) => {
      rounds += 1;
      asked.push(before.toISOString());
      return Promise.resolve([]);
    };
    start([{ what: 'names', projection: FILES, find }], { clock: () => new Date('2026-11-22T12:00:00Z') });
    await moreRounds(2);
    expect(asked.slice(0, 2)).to.deep.equal(['2026-11-22T11:59:30.000Z', '2026-11-22T11:59:30.000Z']);
  });

  it('resumes nothing while the read model is behind', async () => {
    let looks = 0;
    const behind = {
      ...service.service.readModels,
      caughtUp: () => Promise.resolve((looks += 1) === 0),
    };
    start([work('links')], { stores: { ...service.service, readModels: behind } });
    while (looks < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(rounds).to.equal(0);
    expect(lines.find(({ msg }) => msg === 'read model behind, recovery skipped')).to.include({ projection: FILES });
  });

  it('keeps the items that fail in the overview while the read model is behind', async () => {
    let isBehind = false;
    let looks = 0;
    const { readModels } = service.service;
    const caughtUp: typeof readModels.caughtUp = async (...given) => {
      looks += 1;
      return !isBehind && readModels.caughtUp(...given);
    };
    start([work('links', failing('a', []))], {
      stores: { ...service.service, readModels: { ...readModels, caughtUp } },
    });
    await toldOnce((told) => told.count === 1);
    isBehind = true;
    const until = looks + 3;
    while (looks < until) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await toldOnce(() => true)).to.have.property('count', 1);
  });

  it('runs in one process at a time, and in another one once that stops', async () => {
    const rounded: string[] = [];
    const by = (name: string): InterruptedWork => ({
      what: 'names',
      projection: FILES,
      find: () => {
        rounds += 1;
        rounded.push(name);
        return Promise.resolve([]);
      },
    });
    const first = start([by('first')]);
    await moreRounds(1);
    start([by('second')]);
    await moreRounds(4);
    expect(new Set(rounded)).to.deep.equal(new Set(['first']));
    await first.stop();
    rounded.length = 0;
    await moreRounds(2);
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
    start([work('names', item('first'), item('next'))], { stores: { ...service.service, withLease } });
    await moreRounds(2);
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
    const one = start([work('names', slow, counting('next', done))]);
    await begun;
    const stopped = one.stop();
    started.emit('go on');
    await stopped;
    expect(done).to.deep.equal([]);
  });
});
