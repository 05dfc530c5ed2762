import { join } from 'node:path';
import { expect } from 'chai';

import { type Projection, type ReadModelStore, type Generation } from '../../../src/core/projection.js';
import { documentsOf } from '../../../src/stores/mongodb/read-models/documents.js';
import { sortable } from '../../../src/stores/mongodb/read-models/entries.js';
import { SLICE_ROWS } from '../../../src/stores/shared/read-slices.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { openDatabase } from '../../../src/stores/sqlite/connection.js';
import { place } from '../../stores/mongodb/read-models/fixture.js';
import { forEachMongoDb } from '../../support/mongodb/for-each-mongodb.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import {
  added,
  cleared,
  freshWorld,
  openWorld,
  tallies,
  tallyProjection,
  told,
  type Tally,
  type FreshWorld,
} from './runner-fixture.js';

/** More than one batch. */
const MANY = 600;

interface Opened {
  readonly store: ReadModelStore;
  /** Takes the text of a document from under the store. */
  readonly empty: (run: Generation, id: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

function itHoldsRebuildsAgainstTheLog(open: (world: FreshWorld) => Promise<Opened>): void {
  let world: FreshWorld;
  let opened: Opened;
  beforeEach(async () => {
    world = await freshWorld();
    opened = await open(world);
  });
  afterEach(async () => {
    await opened.close();
    await world.close();
  });

  const events = [1, 2, 3, 4, 5].flatMap((tally) => [added(tally, tally), added(tally, 7)]);
  /** Behind the back of whoever fills the run: a change that leaves everything in the store consistent. */
  const change = async (run: Generation, id: number, document: Tally | null): Promise<void> => {
    const { store } = opened;
    const checkpoint = (await store.checkpoint('tallies', run))!;
    await store.load(run, tallies, [id]);
    await store.commit('tallies', run, [{ model: tallies, id, document, position: checkpoint.position! }], checkpoint);
  };
  /** A store in which something goes wrong between the filling of a new run and its verification. */
  const spoilt = (spoil: (run: Generation) => Promise<void>): ReadModelStore => ({
    ...opened.store,
    verify: async (projection, run, models) => {
      await spoil(run);
      return opened.store.verify(projection, run, models);
    },
  });
  const rebuilding = async (store: ReadModelStore, projection: Projection<never> = tallyProjection()) => {
    await world.append(...events, cleared(5));
    const first = world.start([projection], opened.store);
    await first.runner.ready;
    await first.stop();
    const next = world.start([projection], store);
    await next.runner.ready;
    return next;
  };

  const faults: readonly (readonly [string, (run: Generation) => Promise<void>, string])[] = [
    ['a wrong number in a document', (run) => change(run, 2, { id: 2, sum: 9, events: 1 }), 'not what the log makes'],
    ['a document that was emptied', (run) => opened.empty(run, 3), 'not what the log makes'],
    ['a document that is missing', (run) => change(run, 1, null), '3 documents, but the log makes 4'],
    ['a document too many', (run) => change(run, 9, { id: 9, sum: 9, events: 1 }), '5 documents, but the log makes 4'],
  ];
  for (const [title, spoil, reason] of faults) {
    it(`refuses a rebuild with ${title}, and goes on serving what there was`, async () => {
      const { runner } = await rebuilding(spoilt(spoil));
      const result = await runner.rebuild('tallies');
      expect(result.outcome).to.equal('failed');
      expect(result).to.have.property('reason').that.includes(reason);
      expect(await opened.store.serving('tallies')).to.equal(1);
      expect(await opened.store.checkpoint('tallies', 2)).to.equal(null);
    });
  }

  it('serves a rebuild that differs from the old generation, and names the differences', async () => {
    const { runner, notices } = await rebuilding(opened.store);
    await change(1, 2, { id: 2, sum: 9, events: 1 });
    await change(1, 3, null);
    await change(1, 9, { id: 9, sum: 9, events: 1 });
    const result = await runner.rebuild('tallies');
    const reason = 'tallies differs from generation 1, which was served before, in 2, 3, 9';
    expect(result).to.deep.include({ outcome: 'served', differences: [reason] });
    expect(notices).to.deep.include({ type: 'differed', projection: 'tallies', reason });
    expect(await opened.store.serving('tallies')).to.equal(2);
  });

  it('reports no difference for documents that change during the comparison', async () => {
    const { runner, notices } = await rebuilding(
      spoilt(async () => {
        const position = await world.append(added(1, 1), cleared(2), added(7, 7));
        while ((told(runner)[0]?.position ?? '') < position) await new Promise(setImmediate);
      }),
    );
    expect(await runner.rebuild('tallies')).to.deep.include({ outcome: 'served', differences: [] });
    expect(notices.filter(({ type }) => type !== 'progress')).to.deep.equal([]);
  });

  it('reports progress while a rebuild is verified, slice by slice', async () => {
    const rows = 3 * SLICE_ROWS;
    await world.append(...Array.from({ length: rows }, (_, n) => added(100 + n, 1)));
    const seen: number[] = [];
    const before: number[] = [];
    const { runner } = await rebuilding({
      ...opened.store,
      verify: async (...given) => {
        before.push(seen.length);
        const findings = await opened.store.verify(...given);
        before.push(seen.length);
        return findings;
      },
    });
    const result = await runner.rebuild('tallies', ({ verified }) => {
      if (verified !== undefined) seen.push(verified);
    });
    expect(result.outcome).to.equal('served');
    const [sampled = 0, checked = 0] = before;
    expect(sampled).to.equal(1);
    expect(checked - sampled).to.be.at.least(3);
    expect(seen[checked - 1]).to.be.at.least(rows);
    // Told between other steps, too, without more rows.
    expect(seen).to.deep.equal(seen.toSorted((one, other) => one - other));
  });

  it('reports no progress while a verification is repeated again, until it gets further', async () => {
    const seen: number[] = [];
    const reports: number[] = [];
    let tries = 0;
    const { runner } = await rebuilding({
      ...opened.store,
      verify: async (projection, run, models, count) => {
        tries += 1;
        count?.(1);
        count?.(0);
        reports.push(seen.length);
        if (tries <= 3) throw new Error('no room');
        return opened.store.verify(projection, run, models, count);
      },
    });
    const result = await runner.rebuild('tallies', ({ verified }) => {
      if (verified !== undefined) seen.push(verified);
    });
    expect(result.outcome).to.equal('served');
    const [first = 0, second = 0, ...others] = reports;
    // A verification that failed once reports as before.
    expect(second).to.be.above(first);
    expect(others).to.deep.equal([second, second]);
    expect(seen.length).to.be.above(second);
  });

  it('commits what came during a verification batch by batch', async () => {
    let isVerified = false;
    const commits: number[] = [];
    const { runner } = await rebuilding({
      ...opened.store,
      verify: async (...given) => {
        const findings = await opened.store.verify(...given);
        await world.append(...Array.from({ length: MANY }, (_, n) => added(100 + n, 1)));
        isVerified = true;
        return findings;
      },
      commit: (projection, run, changes, ...more) => {
        if (isVerified && run === 2 && changes.length > 0) commits.push(changes.length);
        return opened.store.commit(projection, run, changes, ...more);
      },
    });
    expect(await runner.rebuild('tallies')).to.deep.include({ outcome: 'served' });
    expect(commits.length).to.be.above(1);
  });

  it('reports no fault after interrupted commits', async () => {
    const more = Array.from({ length: 1500 }, (_, n) => (n % 11 === 0 ? cleared(n % 7) : added(n % 7, n)));
    await world.append(...more);
    let commits = 0;
    const flaky: ReadModelStore = {
      ...opened.store,
      commit: async (projection, run, changes, checkpoint) => {
        const way = run === 1 ? 'done' : (['not at all', 'in part', 'unheard', 'done'] as const)[commits++ % 4];
        if (way === 'not at all') throw new Error('not at all');
        const before = (await opened.store.checkpoint(projection, run))!;
        const part = changes.slice(0, Math.ceil(changes.length / 2));
        const isPart = way === 'in part' && before.position !== null;
        if (isPart)
          await opened.store.commit(projection, run, part, { ...checkpoint, ...before }).catch(() => undefined);
        if (way === 'in part') throw new Error('in part');
        await opened.store.commit(projection, run, changes, checkpoint);
        if (way === 'unheard') throw new Error('nobody heard of it');
      },
    };
    const { runner } = await rebuilding(flaky);
    expect(await runner.rebuild('tallies')).to.deep.include({ outcome: 'served', differences: [] });
  });
}

describe('verifying on SQLite', () => {
  itHoldsRebuildsAgainstTheLog((world) =>
    Promise.resolve({
      store: world.store,
      empty: (run, id) => {
        const database = openDatabase(join(world.directory, 'read-models.sqlite'));
        database.prepare(`UPDATE documents_${run}_tallies SET body = '' WHERE id = ?`).run(id);
        database.close();
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    }),
  );
});

forEachMongoDb('verifying', ({ url }) => {
  itHoldsRebuildsAgainstTheLog(async () => {
    const here = place(url());
    return {
      store: await here.worker(),
      empty: async (run, id) => {
        await documentsOf(here.db, tallies.name, run).updateOne(
          { _id: sortable(id) },
          { $set: { body: '' }, $unset: { document: true } },
        );
      },
      close: here.close,
    };
  });
});

describe('a filling that was not given an event of the log', () => {
  it('is not served', async () => {
    const directory = await temporaryDirectory();
    const log = await sqliteEventLog(directory.path);
    let isShort = false;
    async function* readAll(...given: Parameters<typeof log.readAll>): ReturnType<typeof log.readAll> {
      for await (const batch of log.readAll(...given))
        yield isShort ? { ...batch, events: batch.events.slice(0, -1) } : batch;
    }
    const world = await openWorld(directory.path, { ...log, readAll });
    await world.append(added(1, 1), added(1, 2));
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    isShort = true;
    const result = await runner.rebuild('tallies');
    expect(result.outcome).to.equal('failed');
    expect(result).to.have.property('reason').that.includes('has revision 1, but was seen up to 0 only');
    expect(await world.store.serving('tallies')).to.equal(1);
    await world.close();
    await directory.remove();
  });
});
