import { expect } from 'chai';
import { runLeased, type Coordination } from '../../../projections/workers/leased-runner.js';
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

  beforeEach(async () => {
    world = await freshWorld();
    ending = new AbortController();
    request = null;
    onProgress = () => undefined;
    answering = () => Promise.resolve();
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
        return Promise.resolve({ token: tokens, lost: losing.signal, release: () => Promise.resolve() });
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
  const work = (projection: AnyProjection = tallyProjection()): void => {
    const { signal } = ending;
    const report = (notice: Parameters<World['models']['notice']>[0] | { readonly type: string }): void => {
      if ('generation' in notice) world.models.notice(notice);
    };
    const isOwnLog = (): Promise<boolean> => Promise.resolve(true);
    const ports = {
      log: world.log,
      eventTypes,
      isOwnLog,
      coordination: coordination(),
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
});
