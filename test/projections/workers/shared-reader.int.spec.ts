import { expect } from 'chai';
import { sharedReader } from '../../../projections/workers/shared-reader.js';
import { type Batch, type Event, type EventReader, type Position } from '../../../src/core/event-log.js';
import { type UnderstoodReader } from '../../../src/core/logs/understood-log.js';
import { HALF, plantEvent } from '../../support/damaged-log.js';
import {
  added,
  eventTypes,
  freshWorld,
  moved,
  tallyProjection,
  unrelated,
  type FreshWorld,
} from '../engine/runner-fixture.js';

describe('a log that several projections read', () => {
  let world: FreshWorld;
  /** Readings of the log itself: where each begins, and what it leaves out. */
  let readings: {
    readonly after: Position | null;
    readonly leftOut: readonly string[];
  }[];
  /** How many subscriptions to the log there are. */
  let open: number;
  let log: UnderstoodReader;
  let over: AbortController;

  beforeEach(async () => {
    world = await freshWorld();
    readings = [];
    open = 0;
    over = new AbortController();
    const counted: EventReader = {
      ...world.log,
      readAll: (after, leftOut, signal) => {
        readings.push({ after, leftOut });
        return world.log.readAll(after, leftOut, signal);
      },
      subscribe: async function* (after, leftOut, signal) {
        open += 1;
        try {
          yield* world.log.subscribe(after, leftOut, signal);
        } finally {
          open -= 1;
        }
      },
    };
    log = sharedReader(counted, [tallyProjection()], eventTypes);
  });
  afterEach(async () => {
    over.abort();
    await world.close();
  });

  const appendMany = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 100) await world.append(...Array.from({ length: 100 }, (_, k) => added(1, n + k)));
  };
  const positionsOf = async (batches: AsyncIterable<Batch>): Promise<readonly Position[]> => {
    const positions: Position[] = [];
    for await (const { events } of batches) positions.push(...events.map(({ position }) => position));
    return positions;
  };
  /** Follows the log until it has seen so many events. */
  const follow = async (
    after: Position | null,
    count: number,
    leftOut: readonly string[] = [],
    pause = 0,
    told: (count: number) => void = () => undefined,
  ) => {
    const positions: Position[] = [];
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, over.signal]);
    for await (const { events } of log.subscribe(after, leftOut, signal)) {
      positions.push(...events.map(({ position }) => position));
      told(events.length);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (positions.length >= count) enough.abort();
    }
    return positions;
  };

  it('is read in one pass by all fillings from its start, at any pace', async () => {
    await appendMany(6000);
    const all = await positionsOf(world.log.readAll(null, []));
    const slowly = async function* () {
      for await (const batch of log.readAll(null, [])) {
        yield batch;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const seen = await Promise.all([
      positionsOf(log.readAll(null, [])),
      positionsOf(slowly()),
      positionsOf(log.readAll(null, [])),
    ]);
    for (const positions of seen) expect(positions).to.deep.equal(all);
    expect(readings.filter(({ after }) => after === null)).to.have.length(1);
  });

  it('has one subscription for all level projections, and each gets every later event once', async () => {
    await appendMany(300);
    const all = await positionsOf(world.log.readAll(null, []));
    const starts = [null, all[10] ?? null, all[150] ?? null, all[299] ?? null];
    const indexAfter = (position: Position | null): number => (position === null ? 0 : 1 + all.indexOf(position));
    const seen = starts.map(indexAfter);
    const following = starts.map((after, n) =>
      follow(after, 400 - indexAfter(after), [], 0, (count) => (seen[n]! += count)),
    );
    await until(() => seen.every((count) => count === 300) && open === 1);
    await appendMany(100);
    const whole = await positionsOf(world.log.readAll(null, []));
    for (const [n, positions] of (await Promise.all(following)).entries()) {
      expect(positions).to.deep.equal(whole.slice(indexAfter(starts[n] ?? null)));
    }
  });

  it('gives each projection the types that it needs, and reads no unused type', async () => {
    await world.append(added(1, 1), moved(1, 2, 1), added(1, 2), unrelated);
    const [all, some] = await Promise.all([
      positionsOf(log.readAll(null, ['Unrelated'])),
      positionsOf(log.readAll(null, ['Moved', 'Unrelated'])),
    ]);
    expect(all).to.have.length(3);
    expect(some).to.deep.equal([all[0], all[2]]);
    expect(readings[0]?.leftOut).to.deep.equal(['Unrelated']);
  });

  it('gives no projection an event of a newer schema whose type is left out', async () => {
    await world.append(added(1, 1));
    plantEvent(world.directory, 'test-2', 'Moved', { metadata: '{"schema": 2}' });
    const unsupportedFor = async (leftOut: readonly string[]): Promise<readonly string[]> => {
      const types: string[] = [];
      for await (const { unsupported } of log.readAll(null, leftOut))
        types.push(...unsupported.map(({ type }) => type));
      return types;
    };
    expect(await Promise.all([unsupportedFor([]), unsupportedFor(['Moved'])])).to.deep.equal([['Moved'], []]);
  });

  it('keeps few large events, which slower projections read alone', async () => {
    const large: Event = { type: 'Added', data: { tally: 1, amount: 1, text: 'x'.repeat(1_000_000) } };
    const slow = log.subscribe(null, [], over.signal)[Symbol.asyncIterator]();
    const first = slow.next();
    let taken = 0;
    const fast = follow(null, 20, [], 0, (count) => (taken += count));
    for (let n = 1; n <= 20; n += 1) {
      await world.append(large);
      await until(() => taken === n);
    }
    const all = await fast;
    const seen = (await first).value?.events.length ?? 0;
    const next: Batch | undefined = (await slow.next()).value;
    expect(next?.events[0]?.position).to.equal(all[seen]);
    expect(readings).to.not.deep.equal([]);
  });

  it('gives a projection that is behind all kept appends at once', async () => {
    const slow = log.subscribe(null, [], over.signal)[Symbol.asyncIterator]();
    const first = slow.next();
    let taken = 0;
    const fast = follow(null, 600, [], 0, (count) => (taken += count));
    for (let n = 10; n <= 600; n += 10) {
      await world.append(...Array.from({ length: 10 }, () => added(1, n)));
      await until(() => taken === n);
    }
    const seen = [(await first).value, (await slow.next()).value, (await slow.next()).value];
    const sizes = seen.map((batch: Batch | undefined) => batch?.events.length);
    expect(sizes).to.deep.equal([10, 500, 90]);
    expect(seen.flatMap((batch: Batch | undefined) => batch?.events.map(({ position }) => position))).to.deep.equal(
      await fast,
    );
  });

  it('blocks no projection because of a slow one, which still gets every event', async () => {
    const slow = follow(null, 3000, [], 40);
    const fast = follow(null, 3000);
    await appendMany(3000);
    const positions = await fast;
    expect(await slow).to.deep.equal(positions);
    expect(new Set(positions).size).to.equal(3000);
  });

  it('is continued behind an unreadable event by projections that leave out its type', async () => {
    await world.append(added(1, 1));
    plantEvent(world.directory, 'damaged-1', 'Moved', { data: HALF });
    await world.append(added(1, 2));
    expect(await positionsOf(log.readAll(null, ['Moved']))).to.have.length(2);
    expect(await follow(null, 2, ['Moved'])).to.have.length(2);
    const failed = await follow(null, 3).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error).with.property('name', 'UnreadableEvent');
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
