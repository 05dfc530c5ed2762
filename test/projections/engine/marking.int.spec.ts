import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { NO_STREAM, type Event, type Position, type StreamName } from '../../../src/core/event-log.js';
import { eventRegistry } from '../../../src/core/event-types.js';
import { effect, type Projection, type ReadModelStore } from '../../../src/core/projection.js';
import { UnwritableDocument } from '../../../src/core/unwritable-document.js';
import {
  added,
  broken,
  eventTypes,
  known,
  freshWorld,
  tallies,
  tallyProjection,
  told,
  type Tally,
  type TallyEvent,
  type FreshWorld,
} from './runner-fixture.js';

const doubled: Event = { type: 'Doubled', data: { tally: 1 } };

/** Knows one type more than the release before. */
const newer = eventRegistry({ test: { ...known, Doubled: [] }, damaged: known });

type NewerEvent = TallyEvent | Event<'Doubled', { readonly tally: number }>;

function newerProjection(): Projection<NewerEvent> {
  const { when, ...projection } = tallyProjection();
  const double = (tally: Tally | null): Tally => ({
    id: 1,
    sum: 2 * (tally?.sum ?? 0),
    events: (tally?.events ?? 0) + 1,
  });
  return { ...projection, when: { ...when, Doubled: ({ data }) => [effect(tallies, data.tally, double)] } };
}

describe('a projection at an event that its release does not understand', () => {
  let world: FreshWorld;
  beforeEach(async () => {
    world = await freshWorld();
  });
  afterEach(() => world.close());

  const revisions = new Map<StreamName, number>();
  const happen = async (stream: StreamName, event: Event, schema = 1): Promise<Position> => {
    const metadata = { actor: 1, at: '2026-01-01T00:00:00.000Z', schema, commandId: randomUUID() };
    const expected = revisions.get(stream) ?? NO_STREAM;
    const { revision, position } = await world.log.append(stream, expected, [{ ...event, id: randomUUID() }], metadata);
    revisions.set(stream, revision);
    return position;
  };
  const [one, two]: readonly StreamName[] = ['test-1', 'test-2'];
  beforeEach(() => {
    revisions.clear();
  });
  const sums = async (name?: string): Promise<readonly (readonly [number, number])[]> =>
    (await world.documents(name)).map(({ id, sum }) => [id, sum] as const);
  const caughtUp = async (position: Position, name = 'tallies'): Promise<void> => {
    expect(await world.models.caughtUp(name, position, 10_000)).to.equal(true);
  };
  const marked = (name = 'tallies') => [...world.models.marks(name).values()];

  for (const [what, event, schema] of [
    ['of an unknown type', doubled, 1],
    ['of a newer schema', added(1, 100), 2],
  ] as const) {
    it(`marks its stream, follows it no longer, and goes on with all others, when it is ${what}`, async () => {
      const { runner, notices } = world.start([tallyProjection()]);
      await runner.ready;
      await happen(one!, added(1, 5));
      await happen(two!, added(2, 3));
      const position = await happen(one!, event, schema);
      await happen(one!, added(1, 1));
      await happen(two!, added(2, 4));
      await caughtUp(await happen(one!, added(1, 1)));

      expect(await sums()).to.deep.equal([
        [1, 5],
        [2, 7],
      ]);
      const { type } = event;
      expect(marked()).to.have.length(1);
      expect(marked()[0]).to.include({ stream: one, type, schema, revision: 1, position });
      expect(marked()[0]?.reason).to.include('does not understand');
      expect(told(runner)[0]).to.deep.include({ state: 'live', marks: marked(), trouble: null });
      expect(notices.filter((notice) => notice.type !== 'progress')).to.deep.equal([
        { type: 'marked', projection: 'tallies', mark: marked()[0] },
      ]);
    });
  }

  it('marks any number of streams, and tells the first hundred in its status', async () => {
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    for (let n = 1; n <= 120; n += 1) await happen(`test-${n}`, doubled);
    await caughtUp(await happen('test-121', added(121, 1)));
    expect(marked()).to.have.lengthOf(120);
    const marks = runner.status()[0]?.served?.marks ?? new Map<StreamName, never>();
    expect([...marks.keys()]).to.deep.equal(Array.from({ length: 100 }, (_, n) => `test-${n + 1}`));
  });

  it('marks it while it is filled, too, and still follows it no longer after a restart', async () => {
    await happen(one!, added(1, 5));
    await happen(one!, doubled);
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    expect(marked()).to.have.length(1);
    expect(first.notices.map(({ type }) => type)).to.include('marked');
    await first.stop();

    const second = world.start([tallyProjection()]);
    await second.runner.ready;
    await happen(one!, added(1, 1));
    await caughtUp(await happen(two!, added(2, 3)));
    expect(await sums()).to.deep.equal([
      [1, 5],
      [2, 3],
    ]);
    expect(await world.store.serving('tallies')).to.equal(1);
    expect(told(second.runner)[0]?.marks).to.have.length(1);
    expect(second.notices.map(({ type }) => type)).not.to.include('marked');
  });

  it('applies nothing of a stream behind its first such event, though others come with it in one batch', async () => {
    const read = async (): Promise<void> => {
      const { runner, stop } = world.start([tallyProjection()]);
      await runner.ready;
      expect(await sums()).to.deep.equal([[1, 5]]);
      expect(told(runner)[0]?.marks).to.deep.equal(marked());
      await stop();
    };
    await happen(one!, added(1, 5));
    for (const batch of ['filled', 'followed', 'followed']) {
      await happen(one!, doubled);
      await happen(one!, added(1, 1));
      await happen(one!, doubled);
      await read();
      expect(
        marked().map(({ revision }) => revision),
        batch,
      ).to.deep.equal([1]);
    }
  });

  it('marks all such streams of a long log that is filled', async () => {
    await happen(one!, doubled);
    await world.append(...Array.from({ length: 600 }, () => added(3, 1)));
    await happen(two!, doubled);
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    const run = (await world.store.serving('tallies')) ?? 0;
    const known = await world.store.marks('tallies', run);
    expect(known.map(({ stream }) => stream)).to.deep.equal([one, two]);
  });

  it('has nothing to do with streams that it makes nothing of', async () => {
    const careless: Projection = { name: 'others', version: 1, models: ['others'], when: {} };
    const types = eventRegistry({ test: known, other: { Happened: [] } });
    const { runner } = world.start([careless, tallyProjection()], undefined, types);
    await runner.ready;
    await happen(one!, doubled);
    await happen('other-1', doubled);
    await happen('unheard-1', doubled);
    await caughtUp(await happen(two!, added(2, 3)));
    await caughtUp((await world.log.end())!, 'others');
    expect(marked('others')).to.deep.equal([]);
    expect(marked().map(({ stream }) => stream)).to.deep.equal([one]);
  });

  it('is refilled by a release that understands it, while what was made before is served', async () => {
    await happen(one!, added(1, 5));
    await happen(one!, doubled);
    await happen(one!, added(1, 1));
    await happen('damaged-1', doubled);
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    expect(marked()).to.have.length(2);
    await first.stop();

    const second = world.start([newerProjection()], undefined, newer);
    await second.runner.ready;
    expect((await sums())[0]?.[1]).to.be.oneOf([5, 11]);
    while ((await world.store.serving('tallies')) === 1) await new Promise((resolve) => setTimeout(resolve, 5));
    await caughtUp(await happen(two!, added(2, 3)));
    expect(await sums()).to.deep.equal([
      [1, 11],
      [2, 3],
    ]);
    expect(marked().map(({ stream }) => stream)).to.deep.equal(['damaged-1']);
    await second.stop();

    const third = world.start([newerProjection()], undefined, newer);
    await third.runner.ready;
    expect(await world.store.serving('tallies')).to.equal(2);
    await third.stop();
  });

  it('is not missed by the sample of a rebuild', async () => {
    await happen(one!, added(1, 5), 2);
    await happen(two!, added(2, 5));
    await happen(two!, added(2, 5), 2);
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    expect(marked()).to.have.length(2);
    expect((await runner.rebuild('tallies')).outcome).to.equal('served');
  });

  it('is marked by the commit that passes it, and by none that fails', async () => {
    const failing: ReadModelStore = {
      ...world.store,
      commit: (...args) =>
        (args[4] ?? []).length === 0 ? world.store.commit(...args) : Promise.reject(new Error('no room')),
    };
    const first = world.start([tallyProjection()], failing);
    await first.runner.ready;
    await caughtUp(await happen(one!, added(1, 5)));
    const position = await happen(one!, doubled);
    while (!first.notices.some(({ type }) => type === 'troubled'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    await first.stop();
    expect(marked()).to.deep.equal([]);

    const second = world.start([tallyProjection()]);
    await second.runner.ready;
    await caughtUp(position);
    expect(marked()).to.have.length(1);
  });

  /** No document has a sum of more than 9. */
  const withoutRoom = (): ReadModelStore => ({
    ...world.store,
    commit: (projection, run, changes, checkpoint, marks) => {
      const large = changes.find(({ document }) => document !== null && 'sum' in document && Number(document.sum) > 9);
      if (large !== undefined) throw new UnwritableDocument(large, 'too large');
      return world.store.commit(projection, run, changes, checkpoint, marks);
    },
  });

  it('gives up the stream of a document that cannot be written, and no other', async () => {
    const { runner } = world.start([tallyProjection()], withoutRoom());
    await runner.ready;
    await happen(one!, added(1, 5));
    await happen(one!, added(1, 5));
    await happen(two!, added(2, 3));
    await happen(one!, added(1, 1));
    await caughtUp(await happen(two!, added(2, 4)));
    expect(await sums()).to.deep.equal([
      [1, 5],
      [2, 7],
    ]);
    expect(marked()[0]).to.include({ stream: one, type: 'Added', schema: null, revision: 1 });
    expect(marked()[0]?.reason).to.include('too large');
  });

  it('is no difference to a rebuild that can write what was given up', async () => {
    await happen(one!, added(1, 5));
    await happen(one!, added(1, 5));
    const first = world.start([tallyProjection()], withoutRoom());
    await first.runner.ready;
    await first.stop();
    expect([await sums(), marked().length]).to.deep.equal([[[1, 5]], 1]);
    const second = world.start([tallyProjection()]);
    expect(await second.runner.rebuild('tallies')).to.deep.include({ outcome: 'served', differences: [] });
    expect(await sums()).to.deep.equal([[1, 10]]);
  });

  it('marks nothing behind what it stops at', async () => {
    const first = world.start([tallyProjection({ breaks: true })]);
    await first.runner.ready;
    await first.stop();
    await happen(one!, added(1, 5));
    await happen('test-3', broken);
    await happen(two!, doubled);
    const second = world.start([tallyProjection({ breaks: true })]);
    await second.stopped;
    expect(await sums()).to.deep.equal([[1, 5]]);
    expect([marked(), await world.store.marks('tallies', 1)]).to.deep.equal([[], []]);
  });

  it('marks all that is to be marked before it stops at what it cannot apply, all in one batch', async () => {
    const first = world.start([tallyProjection({ breaks: true })], withoutRoom());
    await first.runner.ready;
    await first.stop();
    await happen(one!, added(1, 5));
    await happen(two!, doubled);
    await happen(one!, added(1, 5));
    await happen('test-3', added(3, 1));
    const position = await happen('test-3', broken);
    await happen('test-4', added(4, 1));

    const second = world.start([tallyProjection({ breaks: true })], withoutRoom());
    await second.stopped;
    expect(told(second.runner)[0]?.poison).to.include({ type: 'Broken', position });
    expect(await sums()).to.deep.equal([
      [1, 5],
      [3, 1],
    ]);
    const places = marked().map(({ stream, revision }) => [stream, revision] as const);
    expect(new Map(places)).to.deep.equal(
      new Map([
        [one, 1],
        [two, 0],
      ]),
    );
  });

  it('still stops at what it understands and cannot apply', async () => {
    const { runner, stopped } = world.start([tallyProjection({ breaks: true })]);
    await runner.ready;
    await happen(one!, broken);
    await stopped;
    expect(told(runner)[0]).to.deep.include({ state: 'stopped', marks: [] });
    expect(eventTypes.understands({ stream: one!, type: 'Broken', schema: 1 })).to.equal(true);
  });
});
