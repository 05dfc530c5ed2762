import { join } from 'node:path';
import { expect } from 'chai';
import { NO_STREAM, type Position, type StreamName } from '../../../src/core/event-log.js';
import { type Projection } from '../../../src/core/projection.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { HALF, overwriteEvent, plantEvent } from '../../support/damaged-log.js';
import { metadata, noted } from '../../stores/contracts/event-log-fixture.js';
import { onDouble, PREFIX } from '../../support/eventstoredb/opened.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import {
  added,
  broken,
  naiveTallies,
  freshWorld,
  openWorld,
  tallyProjection,
  told,
  unrelated,
  type TallyEvent,
  type FreshWorld,
  type World,
} from './runner-fixture.js';

const DAMAGED: StreamName = 'damaged-1';

interface Logged {
  readonly world: World;
  /** Puts an event into the log that cannot be read. Those who follow it are told of it with the next append. */
  readonly plant: (type: string) => void;
  readonly close: () => Promise<void>;
}

const logs: Readonly<Record<string, (directory: string) => Promise<Logged>>> = {
  SQLite: async (directory) => {
    const world = await openWorld(directory, await sqliteEventLog(directory));
    const plant = (type: string): void => {
      plantEvent(directory, DAMAGED, type, { data: HALF });
    };
    return { world, plant, close: world.close };
  },
  'a double of EventStoreDB': async (directory) => {
    const { double, log, close } = await onDouble({ timing: {} });
    const world = await openWorld(directory, log);
    const plant = (type: string): void => {
      double.planted(`${PREFIX}${DAMAGED}`, type, '{}', HALF);
    };
    return {
      world,
      plant,
      close: async () => {
        await world.close();
        await close();
      },
    };
  },
};

for (const [name, opened] of Object.entries(logs)) {
  describe(`a projection at an event that cannot be read, in a log on ${name}`, () => {
    let directory: TemporaryDirectory;
    let world: World;
    let plant: Logged['plant'];
    let close: Logged['close'];

    beforeEach(async () => {
      directory = await temporaryDirectory();
      ({ world, plant, close } = await opened(directory.path));
    });

    afterEach(async () => {
      await close();
      await directory.remove();
    });

    /** Has no use for what is damaged. */
    const careless = (name = 'careless'): Projection<TallyEvent> => {
      const { when, ...projection } = tallyProjection({ name });
      return { ...projection, when: { Added: when.Added ?? (() => []) } };
    };
    const both = () => world.start([tallyProjection(), careless()]);
    const checkpoint = async (projection = 'tallies'): Promise<Position | null | undefined> => {
      const run = await world.store.serving(projection);
      return (await world.store.checkpoint(projection, run ?? 0))?.position;
    };

    it('stops after all events before it, at the last of them, and others go on', async () => {
      const { runner, stopped, notices } = both();
      await runner.ready;
      const before = await world.append(added(1, 5), added(2, 3));
      plant('Broken');
      const poisoned = await world.log.end();
      const end = await world.append(added(1, 7), broken);
      await stopped;

      expect(await world.models.caughtUp('careless', end, 10_000)).to.equal(true);
      expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5), added(2, 3)]));
      expect(await world.documents('careless')).to.deep.equal(naiveTallies([added(1, 5), added(2, 3), added(1, 7)]));
      expect(await checkpoint()).to.equal(before);
      const [tallies, others] = told(runner);
      expect(tallies).to.deep.include({ state: 'stopped', position: before, trouble: null });
      expect(others).to.deep.include({ state: 'live', position: end, trouble: null });
      expect(tallies?.poison).to.include({ type: 'Broken', stream: DAMAGED, revision: 0, position: poisoned });
      expect(tallies?.poison?.reason).to.match(/^its (meta)?data is no JSON object$/);
      expect(tallies?.reason).to.include(`Broken, revision 0 of ${DAMAGED} at position ${poisoned}`);
      expect(notices.map(({ type }) => type)).not.to.include('troubled');
      expect(notices.filter(({ type }) => type === 'stopped')).to.deep.equal([
        { type: 'stopped', projection: 'tallies', reason: tallies?.reason, poison: tallies?.poison, isServed: true },
      ]);
    });

    it('saves the position of earlier events without changes', async () => {
      const { runner, stopped } = world.start([tallyProjection()]);
      await runner.ready;
      const first = await world.append(added(1, 5));
      expect(await world.models.caughtUp('tallies', first, 10_000)).to.equal(true);
      const last = await world.append(unrelated, broken);
      plant('Added');
      await world.append(unrelated);
      await stopped;
      expect(told(runner)[0]).to.include({ state: 'stopped', position: last });
      expect(await checkpoint()).to.equal(last);
    });

    it('stops there again after a restart, and continues once it leaves out the type', async () => {
      const first = both();
      await first.runner.ready;
      const before = await world.append(added(1, 5));
      plant('Broken');
      const end = await world.append(added(1, 7));
      await first.stopped;
      await first.stop();

      const second = both();
      await second.runner.ready;
      expect(told(second.runner)[0]).to.deep.include({ state: 'stopped', position: before });
      expect(told(second.runner)[0]?.poison).to.include({ type: 'Broken', stream: DAMAGED });
      expect(await checkpoint()).to.equal(before);
      await second.stop();

      world.start([careless('tallies')]);
      expect(await world.models.caughtUp('tallies', end, 10_000)).to.equal(true);
      expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5), added(1, 7)]));
    });

    it('serves nothing if the event comes in its first filling, and removes the generation', async () => {
      await world.append(added(1, 5));
      plant('Broken');
      await world.append(added(1, 7));
      const { runner } = both();
      await runner.ready;
      const [tallies, others] = told(runner);
      expect(tallies).to.include({ state: 'stopped', run: null });
      expect(tallies?.poison).to.include({ type: 'Broken', stream: DAMAGED });
      expect(others).to.include({ state: 'live', position: await world.log.end() });
      expect(await world.store.serving('tallies')).to.equal(null);
      expect(await world.store.checkpoint('tallies', 1)).to.equal(null);
    });

    it('fails a rebuild with the reason, and keeps serving the old generation', async () => {
      const first = world.start([careless('tallies')]);
      await first.runner.ready;
      await world.append(added(1, 5));
      plant('Broken');
      const end = await world.append(added(1, 7));
      expect(await world.models.caughtUp('tallies', end, 10_000)).to.equal(true);
      await first.stop();

      const { runner } = world.start([tallyProjection()]);
      await runner.ready;
      const result = await runner.rebuild('tallies');
      expect(result.outcome).to.equal('failed');
      expect(result).to.have.property('reason').that.includes(`Broken, revision 0 of ${DAMAGED} at position`);
      expect(await world.store.serving('tallies')).to.equal(1);
      expect(await world.store.checkpoint('tallies', 2)).to.equal(null);
      expect(told(runner)[0]).to.include({ state: 'live', run: 1, reason: null });
      const last = await world.append(added(2, 2));
      expect(await world.models.caughtUp('tallies', last, 10_000)).to.equal(true);
      expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5), added(1, 7), added(2, 2)]));
    });
  });
}

describe('a projection at an event whose bytes were overwritten in log.sqlite', () => {
  let world: FreshWorld;
  beforeEach(async () => {
    world = await freshWorld();
  });
  afterEach(() => world.close());

  for (const [part, text, place] of [
    ['stream', 'damagee-1', 'Added, revision 0 of damagee-1'],
    ['type', 'Addee', `Addee, revision 0 of ${DAMAGED}`],
  ] as const) {
    it(`stops with the file and the remedy if its ${part} is damaged, and marks no stream`, async () => {
      await world.append(added(1, 5));
      await world.log.append(DAMAGED, NO_STREAM, [noted(added(2, 3).data, 'Added')], metadata);
      overwriteEvent(world.directory, { stream: DAMAGED, revision: 0 }, part, text);
      const { runner } = world.start([tallyProjection()]);
      await runner.ready;
      const [status] = told(runner);
      expect(status).to.deep.include({ state: 'stopped', run: null, marks: [] });
      expect(status?.reason).to.include(place).and.to.include('checksum');
      expect(status?.reason).to.include(join(world.directory, 'log.sqlite')).and.to.include('back-up');
    });
  }

  it('stops at the event during live updates, too', async () => {
    const { runner, stopped } = world.start([tallyProjection()]);
    await runner.ready;
    const before = await world.append(added(1, 5));
    expect(await world.models.caughtUp('tallies', before, 10_000)).to.equal(true);
    plantEvent(world.directory, 'damagee-1', 'Added', { checksum: 1 });
    await world.append(added(1, 7));
    await stopped;
    expect(told(runner)[0]).to.deep.include({ state: 'stopped', position: before, marks: [] });
    expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5)]));
  });
});
