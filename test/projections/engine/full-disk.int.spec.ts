import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ReadModelStore } from '../../../src/core/projection.js';
import { openReadModelFile, type ReadModelFile } from '../../../src/stores/sqlite/read-models/file.js';
import { readModelStore } from '../../../src/stores/sqlite/read-models/writer.js';
import { added, freshWorld, naiveTallies, tallyProjection, told, type FreshWorld } from './runner-fixture.js';

const MEGABYTE = 1024 * 1024;

describe('a filling on a full disk', () => {
  let world: FreshWorld;
  let file: ReadModelFile;
  let store: ReadModelStore & { close(): void };
  let freeBytes: number;
  beforeEach(async () => {
    world = await freshWorld();
    file = openReadModelFile(world.directory, 'write');
    freeBytes = Infinity;
    store = readModelStore(file, { free: () => freeBytes });
  });
  afterEach(async () => {
    await world.close();
    store.close();
  });

  const events = Array.from({ length: 20_000 }, (_, n) => added(n, n));
  /** For SQLite, the disk is full once the file has so many pages more. */
  const limit = (pages: number): void => {
    const count = Number(file.sql('PRAGMA page_count').get()?.['page_count']);
    file.sql(`PRAGMA max_page_count = ${count + pages}`).get();
  };
  const logSize = (): number => statSync(join(world.directory, 'read-models.sqlite-wal')).size;
  const expectGoesOn = async (): Promise<void> => {
    const end = await world.append(added(1, 1));
    expect(await world.models.caughtUp('tallies', end, 10_000)).to.equal(true);
    expect(await world.models.get({ name: 'tallies' }, 1)).to.deep.equal(naiveTallies([added(1, 1), added(1, 1)])[0]);
  };

  it('ends beside what is served, which goes on, and gives the room back', async () => {
    await world.append(...events);
    const { runner, notices } = world.start([tallyProjection()], store);
    await runner.ready;
    limit(40);
    const before = logSize();
    const result = await runner.rebuild('tallies');

    expect(result).to.have.property('outcome', 'failed');
    expect(result)
      .to.have.property('reason')
      .that.matches(/^the disk is too full .*\(database or disk is full\)$/);
    expect(notices.filter(({ type }) => type === 'troubled')).to.deep.equal([]);
    expect(told(runner)[0]).to.include({ state: 'live', run: 1, trouble: null });
    expect(await store.checkpoint('tallies', 2)).to.equal(null);
    expect(logSize()).to.be.below(before / 4);
    await expectGoesOn();
    limit(1_000_000);
    expect(await runner.rebuild('tallies')).to.have.property('outcome', 'served');
  });

  it('ends beside what is served before the disk is full', async () => {
    await world.append(...events);
    freeBytes = 0;
    const { runner } = world.start([tallyProjection()], store);
    await runner.ready;
    const seen: number[] = [];
    freeBytes = 1024 * MEGABYTE;
    const result = await runner.rebuild('tallies', ({ verified }) => {
      seen.push(verified ?? 0);
      freeBytes = 31 * MEGABYTE;
    });
    expect(result)
      .to.have.property('reason')
      .that.matches(/^the disk is too full .*\(32505856 bytes are free, and \d+ must stay free\)$/);
    expect(await runner.rebuild('tallies'))
      .to.have.property('reason')
      .that.includes('32505856 bytes are free');
    expect(Math.max(...seen)).to.equal(0);
    expect(await store.serving('tallies')).to.equal(1);
    await expectGoesOn();
  });

  it('ends beside the read models of another release before the disk is full', async () => {
    await world.append(...events);
    freeBytes = 31 * MEGABYTE;
    const beside = readModelStore(file, { free: () => freeBytes, isBesideOthers: true });
    const stopped = world.start([tallyProjection()], beside);
    await stopped.runner.ready;
    expect(told(stopped.runner)[0]).to.include({ state: 'stopped' }).and.have.property('reason').that.includes('full');
    await stopped.stop();
    freeBytes = Infinity;
    const { runner } = world.start([tallyProjection()], beside);
    await runner.ready;
    expect(told(runner)[0]).to.include({ state: 'live' });
  });

  it('is tried again until there is room where nothing is served', async () => {
    await world.append(...events);
    limit(40);
    const { runner, notices } = world.start([tallyProjection()], store);
    while (notices.filter(({ type }) => type === 'troubled').length < 2)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(notices).to.deep.include({
      type: 'troubled',
      projection: 'tallies',
      reason: 'database or disk is full',
      retryInMs: 100,
    });
    limit(1_000_000);
    await runner.ready;
    expect(told(runner)[0]).to.include({ state: 'live' });
    expect(
      await world.models.find({ name: 'tallies' }, { where: [], direction: 'asc', limit: 1, offset: 0 }),
    ).to.include({ total: events.length });
  });
});
