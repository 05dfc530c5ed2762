import { expect } from 'chai';
import { type Event } from '../../../src/core/event-log.js';
import { type ReadModelStore } from '../../../src/core/projection.js';
import { onDouble, PREFIX, type OnDouble } from '../../support/eventstoredb/opened.js';
import { added, broken, freshWorld, tallyProjection, told, type World } from './runner-fixture.js';

describe('a projection that follows a log on a double of EventStoreDB that is restored while it runs', () => {
  let on: OnDouble;
  let world: World;
  let running: ReturnType<World['start']>;
  let isStoreAway: boolean;
  /** What verifications find, one after the other. */
  let faults: (readonly string[])[];
  let older: number;

  beforeEach(async () => {
    on = await onDouble();
    world = await freshWorld({ ...on.log, close: () => Promise.resolve() });
    isStoreAway = false;
    faults = [];
    const commit: ReadModelStore['commit'] = (...given) =>
      isStoreAway ? Promise.reject(new Error('away')) : world.store.commit(...given);
    const verify: ReadModelStore['verify'] = async (...given) => faults.shift() ?? world.store.verify(...given);
    running = world.start([tallyProjection({ breaks: true })], { ...world.store, commit, verify });
    await running.runner.ready;
    await applied(added(1, 100));
    older = on.double.log.entries.length;
    await applied(added(1, 7));
  });
  afterEach(async () => {
    await world.close();
    await on.close();
  });

  const applied = async (event: Event): Promise<void> => {
    expect(await world.models.caughtUp('tallies', await world.append(event), 10_000)).to.equal(true);
  };
  /** When the server answers again, an event of this amount stands where the lost one stood. */
  const restored = async (amount: number | null): Promise<void> => {
    on.double.stop();
    on.double.log.restore(older);
    const metadata = { actor: 1, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: 'c' };
    if (amount !== null) on.double.planted(`${PREFIX}test-1`, 'Added', data(amount), JSON.stringify(metadata));
    await on.double.start();
  };
  const data = (amount: number): string => JSON.stringify(added(1, amount).data);
  const isRefilled = async (sum: number): Promise<void> => {
    await until(async () => (await world.documents().catch(() => []))[0]?.sum === sum);
    const withdrawn = running.notices.filter((notice) => notice.type === 'withdrawn');
    expect(withdrawn).to.have.length(1);
    expect(withdrawn[0]?.expected).to.be.a('string');
    await until(() => Promise.resolve(told(running.runner)[0]?.trouble === null));
    expect(told(running.runner)[0]).to.include({ state: 'live', reason: null });
  };

  it('fills its read models again where the log ends before its position', async () => {
    await restored(null);
    await isRefilled(100);
  });

  it('fills its read models again where another event stands at its position', async () => {
    await restored(3);
    await isRefilled(103);
  });

  it('is rebuilt where it had stopped at an event that the restored log does not hold', async () => {
    await world.append(broken);
    await running.stopped;
    await restored(null);
    expect(await running.runner.rebuild('tallies')).to.include({ outcome: 'served' });
    await isRefilled(100);
  });

  it('fills its read models again where a rebuild has withdrawn them and failed', async () => {
    faults = [['a wrong number']];
    await restored(3);
    expect(await running.runner.rebuild('tallies')).to.include({ outcome: 'failed' });
    await isRefilled(103);
  });

  it('fills its read models again where it had stopped, and a rebuild has withdrawn them and failed', async () => {
    await world.append(broken);
    await running.stopped;
    faults = [['a wrong number']];
    await restored(null);
    expect(await running.runner.rebuild('tallies')).to.include({ outcome: 'failed' });
    await isRefilled(100);
  });

  it('fills its read models again where another event stands there after a commit that failed', async () => {
    isStoreAway = true;
    await world.append(added(1, 1));
    await until(() => Promise.resolve(running.notices.some(({ type }) => type === 'troubled')));
    await restored(3);
    isStoreAway = false;
    await isRefilled(103);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await holds()); looks += 1) {
    expect(looks, 'looks').to.be.below(2000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
