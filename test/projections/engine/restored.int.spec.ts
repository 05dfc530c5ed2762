import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Event, type EventLog } from '../../../src/core/event-log.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { onDouble } from '../../support/eventstoredb/opened.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { added, naiveTallies, openWorld, tallyProjection, told, unrelated, type World } from './runner-fixture.js';

type ClosableLog = EventLog & { readonly close: () => Promise<void> };

/** A log that can be closed, set back to an older state, and opened again. */
interface Restorable {
  readonly open: () => Promise<ClosableLog>;
  /** Of the log that is closed. */
  readonly save: () => Promise<void>;
  readonly restore: () => Promise<void>;
  readonly end: () => Promise<void>;
}

async function closedCopies(directory: string): Promise<Restorable> {
  const [file, copy] = [join(directory, 'log.sqlite'), join(directory, 'older.sqlite')];
  await Promise.resolve();
  return {
    open: () => sqliteEventLog(directory),
    save: () => copyFile(file, copy),
    restore: async () => {
      for (const suffix of ['-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
      await copyFile(copy, file);
    },
    end: () => Promise.resolve(),
  };
}

async function restoredDouble(): Promise<Restorable> {
  const on = await onDouble();
  let entries = 0;
  return {
    open: () => Promise.resolve({ ...on.log, close: () => Promise.resolve() }),
    save: () => {
      entries = on.double.log.entries.length;
      return Promise.resolve();
    },
    restore: async () => {
      on.double.stop();
      on.double.log.restore(entries);
      await on.double.start();
    },
    end: on.close,
  };
}

for (const [name, restorable] of Object.entries({ SQLite: closedCopies, 'a double of EventStoreDB': restoredDouble })) {
  describe(`read models beside a log on ${name} that was restored to an older state`, () => {
    let directory: TemporaryDirectory;
    let kept: Restorable;
    let world: World;

    beforeEach(async () => {
      directory = await temporaryDirectory();
      kept = await restorable(directory.path);
      world = await openWorld(directory.path, await kept.open());
    });

    afterEach(async () => {
      await world.close();
      await kept.end();
      await directory.remove();
    });

    /** Stops what runs, and goes on in the state that the log is in then. */
    const reopened = async (between: () => Promise<void>): Promise<void> => {
      await world.close();
      await between();
      world = await openWorld(directory.path, await kept.open());
    };
    const run = async (version = 1): Promise<ReturnType<World['start']>> => {
      const running = world.start([tallyProjection({ version })]);
      await running.runner.ready;
      return running;
    };
    const served = async (...events: readonly Event[]): Promise<void> => {
      await run();
      const position = await world.append(...events);
      expect(await world.models.caughtUp('tallies', position, 10_000)).to.equal(true);
    };
    const withdrawals = ({ notices }: ReturnType<World['start']>): readonly object[] =>
      notices.filter(({ type }) => type === 'withdrawn');

    it('are withdrawn and filled again with what the log holds, and the notice names both events', async () => {
      await served(added(1, 5));
      await reopened(kept.save);
      await served(added(1, 7), added(2, 1));
      const [lost, position] = [await world.log.end(), await world.log.end()];
      const expected = lost && (await world.log.eventAt(lost));
      await reopened(kept.restore);
      const running = await run();
      expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5)]));
      expect(running.notices.find(({ type }) => type === 'withdrawn')).to.deep.equal({
        type: 'withdrawn',
        projection: 'tallies',
        models: ['tallies'],
        position,
        expected,
        found: null,
      });
      expect(told(running.runner)[0]).to.include({ state: 'live', position: await world.log.end(), reason: null });
    });

    it('skip nothing of what was written after the restore, up to the old position and beyond', async () => {
      await served(added(1, 100));
      await reopened(kept.save);
      await served(...Array.from({ length: 4 }, () => added(1, 1)));
      await reopened(kept.restore);
      for (let n = 0; n < 5; n += 1) await world.append(added(1, 20));
      await world.append(added(1, 5), unrelated);
      expect(withdrawals(await run())).to.have.length(1);
      expect((await world.documents())[0]).to.include({ sum: 205 });
      const position = await world.append(added(1, 2));
      expect(await world.models.caughtUp('tallies', position, 10_000)).to.equal(true);
      expect((await world.documents())[0]).to.include({ sum: 207 });
    });

    it('are left alone where the log holds what they reflect, with more events or none', async () => {
      await served(added(1, 5));
      await reopened(() => Promise.resolve());
      expect(withdrawals(await run())).to.have.length(0);
      await reopened(async () => Promise.resolve());
      await world.append(added(1, 6));
      expect(withdrawals(await run())).to.have.length(0);
      expect(await world.store.serving('tallies')).to.equal(1);
      expect((await world.documents())[0]).to.include({ sum: 11 });
    });

    it('are withdrawn also where another version of their projection is served', async () => {
      await served(added(1, 5));
      await reopened(kept.save);
      await served(added(1, 7));
      await reopened(() => Promise.resolve());
      await run(2);
      const position = await world.append(added(1, 9));
      expect(await world.models.caughtUp('tallies', position, 10_000)).to.equal(true);
      await reopened(kept.restore);
      expect(withdrawals(await run(1))).to.have.length(1);
      expect((await world.documents())[0]).to.include({ sum: 5 });
      expect(await world.store.serving('tallies')).to.equal(3);
    });

    it('stay unchanged beside another log, and the projection reports it', async () => {
      await served(added(1, 5));
      await reopened(kept.save);
      await served(added(1, 7));
      await reopened(kept.restore);
      const foreign = world.start([tallyProjection()], world.store, undefined, () => Promise.resolve(false));
      await foreign.stopped;
      expect(withdrawals(foreign)).to.have.length(0);
      expect(told(foreign.runner)[0]).to.include({ state: 'stopped', run: 1 });
      expect(told(foreign.runner)[0]?.reason).to.include('not the one that tallies was made from');
      expect((await world.documents())[0]).to.include({ sum: 12 });
    });
  });
}
