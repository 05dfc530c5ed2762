import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Generation, type ReadModelStore } from '../../../src/core/projection.js';
import { added, freshWorld, tallyProjection, unrelated, type FreshWorld } from './runner-fixture.js';

/** A position without changes is saved so late. */
const SAVE_AFTER_MS = 1000;

/** A store of servers removes the old generation with the switch, and takes a late save for one of another worker. */
describe('a generation that is replaced', () => {
  let world: FreshWorld;
  let steps: string[];
  beforeEach(async () => {
    world = await freshWorld();
    steps = [];
  });
  afterEach(() => world.close());

  const noting = (
    saving: () => Promise<unknown>,
    serving: (generation: Generation) => Promise<unknown>,
  ): ReadModelStore => ({
    ...world.store,
    commit: async (projection, generation, changes, ...rest) => {
      const isSave = generation === 1 && changes.length === 0;
      if (isSave) await saving();
      await world.store.commit(projection, generation, changes, ...rest);
      if (isSave) steps.push('saved');
    },
    serve: async (projection, generation) => {
      steps.push(`switching to ${generation}`);
      await serving(generation);
      const isServed = await world.store.serve(projection, generation);
      steps.push(`switched to ${generation}`);
      return isServed;
    },
  });
  /** Serves a first generation, of which the position of an event without changes is still to be saved. */
  const unsaved = async (store: ReadModelStore): Promise<ReturnType<FreshWorld['start']>> => {
    await world.append(added(1, 1));
    const running = world.start([tallyProjection()], store);
    await running.runner.ready;
    steps = [];
    expect(await world.models.caughtUp('tallies', await world.append(unrelated), 10_000)).to.equal(true);
    return running;
  };
  const nothing = (): Promise<void> => Promise.resolve();

  it('has no position saved meanwhile', async () => {
    const { runner } = await unsaved(
      noting(nothing, (generation) => pause(generation === 2 ? SAVE_AFTER_MS * 1.2 : 0)),
    );
    expect(await runner.rebuild('tallies')).to.include({ outcome: 'served' });
    expect(steps).to.deep.equal(['switching to 2', 'switched to 2']);
  });

  it('is replaced after its position has been saved, if that is under way', async () => {
    let saving = nothing;
    const { runner } = await unsaved(noting(() => saving(), nothing));
    await new Promise<void>((resolve) => {
      saving = () => {
        resolve();
        return pause(500);
      };
    });
    expect(await runner.rebuild('tallies')).to.include({ outcome: 'served' });
    expect(steps).to.deep.equal(['saved', 'switching to 2', 'switched to 2']);
  });
});
