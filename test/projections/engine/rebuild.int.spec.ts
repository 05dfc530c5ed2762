import { expect } from 'chai';
import { type Runner } from '../../../projections/engine/projection-runner.js';
import { type RebuildProgress } from '../../../projections/engine/filling/filling.js';
import { type Change, type ReadModelStore } from '../../../src/core/projection.js';
import { UnwritableDocument } from '../../../src/core/unwritable-document.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import {
  added,
  broken,
  naiveTallies,
  openWorld,
  tallyProjection,
  told,
  unrelated,
  type TallyEvent,
  type World,
} from './runner-fixture.js';

describe('a rebuild', () => {
  let directory: TemporaryDirectory;
  let world: World;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    world = await openWorld(directory.path);
  });

  afterEach(async () => {
    await world.close();
    await directory.remove();
  });

  const many = (count: number, from = 0): TallyEvent[] =>
    Array.from({ length: count }, (_, n) => added((from + n) % 7, from + n));
  const atEnd = async (name = 'tallies'): Promise<boolean> => {
    const end = await world.log.end();
    return end === null || world.models.caughtUp(name, end, 10_000);
  };

  it('fills the documents anew and serves them in one step', async () => {
    const events = many(1200);
    await world.append(...events, unrelated);
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    const seen: RebuildProgress[] = [];
    const result = await runner.rebuild('tallies', (progress) => seen.push(progress));

    expect(result).to.deep.include({ outcome: 'served', projection: 'tallies', events: 1200 });
    expect(await world.store.serving('tallies')).to.equal(2);
    expect(await world.documents()).to.deep.equal(naiveTallies(events));
    expect(seen.at(-1)).to.deep.include({ events: 1200, end: await world.log.end(), position: await world.log.end() });
    expect(told(runner)[0]?.rebuild).to.equal(null);
  });

  const overStore = (commit: (changes: readonly Change[], generation: number) => void): ReadModelStore => ({
    ...world.store,
    commit: async (projection, generation, changes, ...rest) => {
      commit(changes, generation);
      return world.store.commit(projection, generation, changes, ...rest);
    },
  });

  it('writes a document that changes often once', async () => {
    const events = many(8000);
    await world.append(...events);
    const commits = new Map<number, number>();
    const store = overStore((changes, generation) => {
      commits.set(generation, changes.length + (commits.get(generation) ?? 0));
    });
    const { runner } = world.start([tallyProjection()], store);
    await runner.ready;
    expect(await runner.rebuild('tallies')).to.deep.include({ outcome: 'served', differences: [] });
    expect([...commits]).to.deep.equal([
      [1, 7],
      [2, 7],
    ]);
    expect(await world.documents()).to.deep.equal(naiveTallies(events));
  });

  it('gives up the stream at the change that cannot be written, though later ones were applied before it was written', async () => {
    const events = many(1600);
    const most = 50_000;
    await world.append(...events);
    const store = overStore((changes) => {
      const large = changes.find(
        ({ document }) => document !== null && 'sum' in document && Number(document.sum) > most,
      );
      if (large !== undefined) throw new UnwritableDocument(large, 'too large');
    });
    const { runner } = world.start([tallyProjection()], store);
    await runner.ready;
    const fits = (count: number): boolean => naiveTallies(events.slice(0, count)).every(({ sum }) => sum <= most);
    const before = events.findIndex((_, index) => !fits(index + 1));
    expect(before).to.be.above(500);
    expect(told(runner)[0]?.marks?.[0]).to.include({ type: 'Added', revision: before });
    expect(await world.documents()).to.deep.equal(naiveTallies(events.slice(0, before)));
  });

  /** How often the log is read from its start, and what each reading leaves out. */
  async function readingsOf(rebuilding: (runner: Runner) => Promise<unknown>): Promise<readonly (readonly string[])[]> {
    const own = await temporaryDirectory();
    const log = await sqliteEventLog(own.path);
    const readings: (readonly string[])[] = [];
    const readAll: typeof log.readAll = (after, leftOut, signal) => {
      if (after === null) readings.push(leftOut);
      return log.readAll(after, leftOut, signal);
    };
    const others = { ...tallyProjection(), name: 'others', models: ['others'], when: { Unrelated: () => [] } };
    const over = await openWorld(own.path, { ...log, readAll });
    await over.append(added(1, 1), unrelated);
    const { runner } = over.start([tallyProjection(), others]);
    await runner.ready;
    readings.length = 0;
    await rebuilding(runner);
    await over.close();
    await own.remove();
    return readings;
  }

  it('reads nothing that only other projections make use of', async () => {
    const [leftOut, ...more] = await readingsOf(async (runner) => {
      expect(await runner.rebuild('others')).to.deep.include({ outcome: 'served', events: 1 });
    });
    expect(leftOut).to.include('Added').and.not.to.include('Unrelated');
    expect(more).to.deep.equal([]);
  });

  it('reads the log once for all that are rebuilt together', async () => {
    const names = ['tallies', 'others'];
    const [leftOut, ...more] = await readingsOf(async (runner) => {
      const results = await Promise.all(names.map((name) => runner.rebuild(name, () => undefined, names)));
      for (const result of results) expect(result).to.deep.include({ outcome: 'served', events: 1 });
    });
    expect(leftOut).not.to.include('Added').and.not.to.include('Unrelated');
    expect(more).to.deep.equal([]);
  });

  it('loses nothing that is appended meanwhile, and readers never see less than before', async () => {
    const events = many(2000);
    await world.append(...events);
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    let most = 0;
    const result = runner.rebuild('tallies');
    for (let n = 0; n < 20; n += 1) {
      const more = many(30, events.length);
      events.push(...more);
      await world.append(...more);
      expect(await atEnd()).to.equal(true);
      const counted = (await world.documents()).reduce((all, tally) => all + tally.events, 0);
      expect(counted).to.be.at.least(most);
      most = counted;
    }
    expect((await result).outcome).to.equal('served');
    const last = added(1, 1);
    await world.append(last);
    expect(await atEnd()).to.equal(true);
    expect(await world.documents()).to.deep.equal(naiveTallies([...events, last]));
    expect(await world.store.verify('tallies', 2, ['tallies'])).to.deep.equal([]);
  });

  it('comes by itself with a new version, while readers keep the old documents', async () => {
    await world.append(added(1, 5));
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    await first.stop();
    const second = world.start([tallyProjection({ version: 2, factor: 10 })]);
    const before = await world.documents();
    await second.runner.ready;

    expect(before).to.deep.equal(naiveTallies([added(1, 5)]));
    expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5)], 10));
    expect(told(second.runner)[0]).to.include({ version: 2, run: 2, state: 'live' });
  });

  it('that meets an event it cannot apply leaves everything as it was, and says why', async () => {
    await world.append(added(1, 5), broken);
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    await first.stop();
    const { runner } = world.start([tallyProjection({ breaks: true })]);
    await runner.ready;
    const result = await runner.rebuild('tallies');

    expect(result.outcome).to.equal('failed');
    expect(result).to.have.property('reason').that.includes('tallies cannot apply Broken');
    expect(await world.store.serving('tallies')).to.equal(1);
    expect(await world.store.checkpoint('tallies', 2)).to.equal(null);
    await world.append(added(1, 2));
    expect(await atEnd()).to.equal(true);
    expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5), added(1, 2)]));
  });

  it('that is not sound is not served', async () => {
    const doubting: ReadModelStore = { ...world.store, verify: () => Promise.resolve(['2 wrong counts']) };
    await world.append(added(1, 5));
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    await first.stop();
    const { runner } = world.start([tallyProjection()], doubting);
    await runner.ready;
    const result = await runner.rebuild('tallies');
    expect(result).to.have.property('reason', 'tallies is not sound after its rebuild: 2 wrong counts');
    expect(await world.store.serving('tallies')).to.equal(1);
    expect(await world.store.checkpoint('tallies', 2)).to.equal(null);
  });

  it('of a stopped projection sets it going again', async () => {
    let breaks = true;
    const projection = tallyProjection();
    const mended = {
      ...projection,
      when: {
        ...projection.when,
        Broken: () => {
          if (breaks) throw new Error('cannot be read');
          return [];
        },
      },
    };
    const { runner, stopped } = world.start([mended]);
    await runner.ready;
    const events = [added(1, 5), broken, added(1, 7)];
    await world.append(...events);
    await stopped;
    expect(await runner.rebuild('tallies')).to.have.property('outcome', 'failed');
    expect(told(runner)[0]).to.include({ state: 'stopped' });

    breaks = false;
    expect(await runner.rebuild('tallies')).to.have.property('outcome', 'served');
    expect(told(runner)[0]).to.include({ state: 'live', reason: null });
    await world.append(added(3, 1));
    expect(await atEnd()).to.equal(true);
    expect(await world.documents()).to.deep.equal(naiveTallies([...events, added(3, 1)]));
  });

  it('is refused for unknown names, and beside another of the same projection', async () => {
    await world.append(...many(600));
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    const [first, second] = await Promise.all([runner.rebuild('tallies'), runner.rebuild('tallies')]);
    expect(first.outcome).to.equal('served');
    expect(second).to.have.property('reason', 'tallies is being filled already');
    expect(await runner.rebuild('none')).to.have.property('reason', 'There is no projection none');
  });

  it('replaces one that stands behind many events which change nothing', async () => {
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    await world.append(added(1, 1), ...Array.from({ length: 600 }, () => unrelated));
    expect(await atEnd()).to.equal(true);
    await first.stop();
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    expect(await runner.rebuild('tallies')).to.include({ outcome: 'served', generation: 2 });
  });

  it('begins after the first filling', async () => {
    await world.append(...many(600));
    const steps: string[] = [];
    const store: ReadModelStore = {
      ...world.store,
      open: async (...given) => {
        const generation = await world.store.open(...given);
        steps.push(`open ${generation}`);
        return generation;
      },
      serve: (projection, generation) => {
        steps.push(`serve ${generation}`);
        return world.store.serve(projection, generation);
      },
    };
    const { runner } = world.start([tallyProjection()], store);
    expect(await runner.rebuild('tallies')).to.include({ outcome: 'served', generation: 2 });
    expect(steps).to.deep.equal(['open 1', 'serve 1', 'open 2', 'serve 2']);
  });

  it('that is interrupted leaves nothing behind at the next start', async () => {
    const events = many(3000);
    await world.append(...events);
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    const stops: Promise<void>[] = [];
    const result = await first.runner.rebuild('tallies', () => stops.push(first.stop()));
    await Promise.all(stops);
    expect(result.outcome).to.equal('failed');
    expect(await world.store.checkpoint('tallies', 2)).not.to.equal(null);

    await world.close();
    world = await openWorld(directory.path);
    expect(await world.store.checkpoint('tallies', 2)).to.equal(null);
    expect(await world.store.serving('tallies')).to.equal(1);
    expect(await world.documents()).to.deep.equal(naiveTallies(events));
  });
});
