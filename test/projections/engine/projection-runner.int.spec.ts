import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Position } from '../../../src/core/event-log.js';
import { effect, type Projection, type ReadModelStore } from '../../../src/core/projection.js';
import { type Document, type ReadModel } from '../../../src/core/read-models.js';
import {
  added,
  broken,
  cleared,
  moved,
  naiveTallies,
  freshWorld,
  tallies,
  tallyProjection,
  told,
  unrelated,
  type Tally,
  type TallyEvent,
  type FreshWorld,
} from './runner-fixture.js';

const anyTallies: ReadModel<Document> = { name: 'tallies' };
const id = fc.integer({ min: 1, max: 6 });
const amount = fc.integer({ min: -9, max: 9 });
const event: fc.Arbitrary<TallyEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(id, amount).map(([tally, by]) => added(tally, by)) },
  { weight: 2, arbitrary: fc.tuple(id, id, amount).map(([from, to, by]) => moved(from, to, by)) },
  { weight: 1, arbitrary: id.map(cleared) },
);

describe('the runner of projections', () => {
  let world: FreshWorld;
  beforeEach(async () => {
    world = await freshWorld();
  });
  afterEach(() => world.close());

  const caughtUp = (position: Position, name = 'tallies'): Promise<boolean> =>
    world.models.caughtUp(name, position, 10_000);

  it('is ready at once over an empty log, and follows what comes', async () => {
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    expect(await caughtUp(await world.append(added(1, 5), added(2, 1), added(1, 2)))).to.equal(true);
    expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5), added(2, 1), added(1, 2)]));
  });

  it('is ready when it reflects the log as it was at the start', async () => {
    await world.append(added(1, 5), unrelated);
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5)]));
    expect(told(runner)).to.deep.include.members([
      {
        projection: 'tallies',
        version: 1,
        state: 'live',
        run: 1,
        position: await world.log.end(),
        reason: null,
        poison: null,
        trouble: null,
        rebuild: null,
        marks: [],
      },
    ]);
  });

  it('makes of any events what folding them one by one makes, however often it is restarted', async () => {
    const batches = fc.array(fc.array(event, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });
    const all: TallyEvent[] = [];
    const property = fc.asyncProperty(batches, async (given) => {
      for (const batch of given) {
        const { stop } = world.start([tallyProjection()]);
        const position = await world.append(...batch);
        all.push(...batch);
        expect(await caughtUp(position)).to.equal(true);
        expect(await world.documents()).to.deep.equal(naiveTallies(all));
        await stop();
      }
    });
    await fc.assert(property, { numRuns: 8 });
    const run = await world.store.serving('tallies');
    expect(await world.store.verify('tallies', run ?? 0, ['tallies'])).to.deep.equal([]);
  });

  it('reports progress over events that it has no use for, and remembers it', async () => {
    const first = world.start([tallyProjection()]);
    await first.runner.ready;
    const position = await world.append(unrelated, unrelated);
    expect(await caughtUp(position)).to.equal(true);
    await first.stop();
    const run = await world.store.serving('tallies');
    expect(await world.store.checkpoint('tallies', run ?? 0)).to.include({ version: 1, position });
  });

  it('has the store know before long how far it is, also where nothing changes', async () => {
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    const run = (await world.store.serving('tallies')) ?? 0;
    for (const events of [[added(1, 1), unrelated], [unrelated]]) {
      const position = await world.append(...events);
      expect(await caughtUp(position)).to.equal(true);
      const saved = async (): Promise<boolean> => (await world.store.checkpoint('tallies', run))?.position === position;
      for (let looks = 0; !(await saved()); looks += 1) {
        expect(looks, 'looks').to.be.below(300);
        await sleep(10);
      }
    }
  });

  it('does not write documents that an event leaves as they are', async () => {
    const { runner } = world.start([tallyProjection()]);
    await runner.ready;
    const first = await world.append(added(1, 1));
    expect(await caughtUp(await world.append(broken))).to.equal(true);
    const loaded = await world.store.load(1, tallies, [1]);
    expect(loaded.get(1)?.position).to.equal(first);
  });

  it('tells documents of one id in several read models apart where an event changes and looks up both', async () => {
    const inTallies = tallyProjection();
    const others: ReadModel<Tally> = { name: 'others' };
    const both: Projection<TallyEvent> = {
      ...inTallies,
      models: ['others', 'tallies'],
      when: {
        Added: (event) => [
          effect(others, event.data.tally, () => ({ id: event.data.tally, sum: -1, events: 0 })),
          ...(inTallies.when.Added?.(event) ?? []),
          effect(
            others,
            event.data.tally,
            (other, lookup) => other && { ...other, sum: lookup(tallies, other.id)!.sum },
          ),
        ],
      },
    };
    const { runner } = world.start([both]);
    await runner.ready;
    expect(await caughtUp(await world.append(added(1, 5), added(1, 2)))).to.equal(true);
    expect((await world.documents()).map(({ sum }) => sum)).to.deep.equal([7]);
    expect((await world.documents('others')).map(({ sum }) => sum)).to.deep.equal([7]);
  });

  describe('at an event that it cannot apply', () => {
    it('stops that projection alone, after the events before', async () => {
      const { runner, notices } = world.start([tallyProjection({ breaks: true }), tallyProjection({ name: 'others' })]);
      await runner.ready;
      const position = await world.append(added(1, 5), broken, added(1, 7));
      expect(await caughtUp(position, 'others')).to.equal(true);
      expect(await world.documents('others')).to.deep.equal(naiveTallies([added(1, 5), added(1, 7)]));

      const last = await world.append(added(2, 1));
      expect(await caughtUp(last, 'others')).to.equal(true);
      expect(await world.models.caughtUp('tallies', position, 0)).to.equal(false);
      expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5)]));
      const [status] = told(runner);
      expect(status).to.include({ state: 'stopped' });
      expect(status?.poison).to.include({ type: 'Broken', revision: 1, reason: 'cannot be read' });
      expect(status?.reason).to.include('tallies cannot apply Broken, revision 1 of test-');
      expect(notices.filter(({ type }) => type === 'stopped').length).to.equal(1);
    });

    it('keeps the events before it over a restart, and goes on once the cause is gone', async () => {
      const first = world.start([tallyProjection({ breaks: true })]);
      await first.runner.ready;
      const events = [added(1, 5), broken, added(1, 7)];
      const position = await world.append(...events);
      await first.stopped;
      await first.stop();

      const second = world.start([tallyProjection({ breaks: true })]);
      await second.runner.ready;
      expect(told(second.runner)[0]?.poison?.type).to.equal('Broken');
      expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 5)]));
      await second.stop();

      world.start([tallyProjection()]);
      expect(await caughtUp(position)).to.equal(true);
      expect(await world.documents()).to.deep.equal(naiveTallies(events));
    });

    it('applies none of its effects', async () => {
      const { Added = () => [] } = tallyProjection().when;
      const failing: Projection<TallyEvent> = {
        ...tallyProjection(),
        when: {
          Added,
          Cleared: ({ data }) => [
            effect(tallies, 2, () => null),
            effect(tallies, data.tally, () => ({ id: 99, sum: 0, events: 0 })),
          ],
        },
      };
      const { runner, stopped } = world.start([failing]);
      await runner.ready;
      await world.append(added(2, 5), cleared(1), added(3, 1));
      await stopped;
      expect(told(runner)[0]?.reason).to.include('another id');
      expect(await world.documents()).to.deep.equal(naiveTallies([added(2, 5)]));
    });

    it('takes a document that cannot be written for its fault, not the store, and gives up its stream alone', async () => {
      const circular: { id: number; self?: unknown } = { id: 2 };
      circular.self = circular;
      const odd: Projection<TallyEvent> = {
        ...tallyProjection(),
        when: {
          Added: ({ data: { tally } }) => [
            effect<Document>(anyTallies, tally, () => (tally === 2 ? circular : { id: tally })),
          ],
        },
      };
      const { runner } = world.start([odd]);
      await runner.ready;
      const end = await world.append(added(1, 1), added(5, 1), added(2, 1), added(6, 1));
      expect(await world.models.caughtUp('tallies', end, 10_000)).to.equal(true);
      expect(told(runner)[0]).to.include({ state: 'live', poison: null });
      expect(told(runner)[0]?.marks?.[0]).to.include({ type: 'Added', revision: 2, schema: null });
      expect((await world.documents()).map((document) => document.id)).to.deep.equal([1, 5]);
    });

    it('finds it before anything is served', async () => {
      await world.append(added(1, 5), broken);
      const { runner } = world.start([tallyProjection({ breaks: true })]);
      await runner.ready;
      expect(told(runner)[0]).to.include({ state: 'stopped', run: null });
      expect(await world.store.serving('tallies')).to.equal(null);
    });
  });

  it('tries again where the store or the log fails, and skips nothing', async () => {
    let failures = 3;
    const unreliable: ReadModelStore = {
      ...world.store,
      commit: (...values) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new Error('disk full')) : world.store.commit(...values);
      },
    };
    const { notices } = world.start([tallyProjection()], unreliable);
    const position = await world.append(added(1, 1), moved(1, 2, 4));
    expect(await caughtUp(position)).to.equal(true);
    expect(await world.documents()).to.deep.equal(naiveTallies([added(1, 1), moved(1, 2, 4)]));
    expect(notices.filter(({ type }) => type === 'troubled').length).to.equal(3);
  });

  describe('that is ended', () => {
    it('is ready even if it never got as far as the log', async () => {
      await world.append(added(1, 1));
      const away = { ...world.store, serving: () => Promise.reject(new Error('away')) };
      const { runner, stop } = world.start([tallyProjection()], away);
      await stop();
      await runner.ready;
      expect(told(runner)[0]).to.include({ state: 'filling', run: null });
    });

    it('has finished only once a rebuild that was under way leaves the store alone', async () => {
      await world.append(added(1, 1));
      const steps: string[] = [];
      let stopped: Promise<unknown> = Promise.resolve();
      const store: ReadModelStore = {
        ...world.store,
        commit: async (projection, generation, ...given) => {
          if (generation === 2) stopped = stop().then(() => steps.push('finished'));
          for (let turns = 0; turns < 50; turns += 1) await turn();
          await world.store.commit(projection, generation, ...given);
          if (generation === 2) steps.push('committed');
        },
      };
      const { runner, stop } = world.start([tallyProjection()], store);
      await runner.ready;
      await runner.rebuild('tallies');
      await stopped;
      expect(steps).to.deep.equal(['committed', 'finished']);
    });
  });
});
