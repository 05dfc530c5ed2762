import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { runLeased, type Coordination } from '../../../projections/workers/leased-runner.js';
import { rebuildRequests } from '../../../projections/workers/rebuild-requests.js';
import { type RebuildResult } from '../../../projections/engine/rebuild.js';
import { type AnyProjection } from '../../../projections/engine/generation-progress.js';
import { until } from '../../stores/mongodb/read-models/fixture.js';
import {
  added,
  broken,
  eventTypes,
  freshWorld,
  tallyProjection,
  type FreshWorld,
  type World,
} from '../engine/runner-fixture.js';

/** A request for a rebuild, kept the way that a store shared by several workers keeps it. */
interface Request {
  takenBy: number[];
  progress: number;
  answer: RebuildResult | null;
}

describe('a worker with a lease', () => {
  let world: FreshWorld;
  let ending: AbortController;
  let running: Promise<void>;
  let request: Request | null;
  /** Takes the lease from its holder. */
  let lose: (reason: Error) => void;
  let onProgress: () => void;
  let answering: () => Promise<void>;
  let onRelease: () => void;

  beforeEach(async () => {
    world = await freshWorld();
    ending = new AbortController();
    request = null;
    onProgress = () => undefined;
    answering = () => Promise.resolve();
    onRelease = () => undefined;
  });

  afterEach(async () => {
    ending.abort();
    await running;
    await world.close();
  });

  const coordination = (): Coordination => {
    let tokens = 0;
    return {
      acquire: () => {
        const losing = new AbortController();
        lose = (reason) => {
          losing.abort(reason);
        };
        tokens += 1;
        const release = (): Promise<void> => {
          onRelease();
          return Promise.resolve();
        };
        return Promise.resolve({ token: tokens, lost: losing.signal, release });
      },
      store: () => world.store,
      publishStatus: () => Promise.resolve(),
      nextRebuildRequest: (_, token) => {
        const open = request;
        if (open === null || open.answer !== null || open.takenBy.includes(token)) return Promise.resolve(null);
        open.takenBy.push(token);
        return Promise.resolve({
          together: ['tallies'],
          progress: () => {
            open.progress += 1;
            onProgress();
            return Promise.resolve();
          },
          answer: async (result) => {
            await answering();
            open.answer = result;
          },
        });
      },
    };
  };
  const ask = (): Request => (request = { takenBy: [], progress: 0, answer: null });
  const work = (projection: AnyProjection = tallyProjection(), given: Partial<Coordination> = {}): void => {
    const { signal } = ending;
    const report = (notice: Parameters<World['models']['notice']>[0] | { readonly type: string }): void => {
      if ('generation' in notice) world.models.notice(notice);
    };
    const isOwnLog = (): Promise<boolean> => Promise.resolve(true);
    const ports = {
      log: world.log,
      eventTypes,
      isOwnLog,
      coordination: { ...coordination(), ...given },
      report,
      unhealthy: () => [],
      signal,
    };
    running = runLeased({ projections: [projection], ...ports });
  };
  const many = Array.from({ length: 1500 }, (_, n) => added(n % 7, n));

  it('that loses it during a rebuild leaves the request open, and the next holder carries it out', async () => {
    await world.append(...many);
    work();
    const asked = ask();
    onProgress = () => {
      if (asked.takenBy.length === 1) lose(new Error('The lease of tallies is lost'));
    };
    await until(() => asked.answer !== null);
    expect(asked.takenBy).to.deep.equal([1, 2]);
    expect(asked.answer).to.include({ outcome: 'served', events: many.length });
  });

  for (const silent of ['acquire', 'publishStatus', 'nextRebuildRequest'] as const) {
    it(`ends although ${silent} has no answer`, async () => {
      let asked = 0;
      work(tallyProjection(), {
        [silent]: () => {
          asked += 1;
          return new Promise<never>(() => undefined);
        },
      });
      await until(() => asked > 0);
      ending.abort();
      await running;
    });
  }

  it('has given it back when it ends', async () => {
    let [isHeld, isReleased] = [false, false];
    const given = coordination();
    const release = async (): Promise<void> => {
      await sleep(500);
      isReleased = true;
    };
    work(tallyProjection(), {
      acquire: async (...asked) => {
        const lease = await given.acquire(...asked);
        isHeld = true;
        return { ...lease, release };
      },
    });
    await until(() => isHeld);
    ending.abort();
    await running;
    expect(isReleased).to.equal(true);
  });

  it('answers that a rebuild has failed if it failed by itself', async () => {
    await world.append(added(1, 5));
    const projection = tallyProjection();
    let breaks = false;
    const fragile = (): never[] => {
      if (breaks) throw new Error('cannot be read');
      return [];
    };
    work({ ...projection, when: { ...projection.when, Broken: fragile } });
    await world.models.caughtUp('tallies', await world.append(broken), 10_000);
    breaks = true;
    const asked = ask();
    await until(() => asked.answer !== null);
    expect(asked.answer).to.have.property('reason').that.includes('tallies cannot apply Broken');
    expect(asked.takenBy).to.deep.equal([1]);
  });

  it('repeats an answer that the store did not take', async () => {
    await world.append(added(1, 5));
    work();
    const asked = ask();
    let tries = 0;
    answering = () => ((tries += 1) < 3 ? Promise.reject(new Error('away')) : Promise.resolve());
    await until(() => asked.answer !== null);
    expect(tries).to.equal(3);
    expect(asked.takenBy).to.deep.equal([1]);
  });

  it('begins a rebuild that is asked for during the first filling once that has ended', async () => {
    await world.append(...many);
    const asked = ask();
    work();
    await until(() => asked.answer !== null);
    expect(asked.answer).to.include({ outcome: 'served', generation: 2 });
  });

  it('gives it back once a rebuild that was under way is answered', async () => {
    await world.append(added(1, 5));
    work();
    const steps: string[] = [];
    onRelease = () => void steps.push('given back');
    answering = async () => {
      ending.abort();
      for (let turns = 0; turns < 50; turns += 1) await turn();
      steps.push('answered');
    };
    const asked = ask();
    await until(() => asked.answer !== null);
    await running;
    expect(steps).to.deep.equal(['answered', 'given back']);
  });

  it('looks for no other request while it carries out one', async () => {
    let [looks, end] = [0, (): void => undefined];
    const done: RebuildResult = { outcome: 'failed', projection: 'tallies', reason: 'none' };
    const requests = rebuildRequests({
      projection: 'tallies',
      runner: {
        rebuild: () =>
          new Promise(
            (resolve) =>
              (end = () => {
                resolve(done);
              }),
          ),
      },
      next: () => {
        looks += 1;
        return Promise.resolve({
          together: ['tallies'],
          progress: () => Promise.resolve(),
          answer: () => Promise.resolve(),
        });
      },
      report: () => undefined,
      over: ending.signal,
    });
    await requests.poll();
    await requests.poll();
    expect(looks).to.equal(1);
    end();
    await requests.finished();
    await requests.poll();
    expect(looks).to.equal(2);
    end();
    await requests.finished();
  });
});
