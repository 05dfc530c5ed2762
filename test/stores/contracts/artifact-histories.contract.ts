import { expect } from 'chai';
import fc from 'fast-check';
import { artifacts } from '../../../projections/artifacts.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { batchSizes, catchUp, expectFound, expectProjected, histories } from './artifact-histories.js';
import { type OpenedReadModels } from './read-models-fixture.js';

/** Of artifacts that not every reader may see. */
export function itFindsWhatEachMaySee(open: () => Promise<OpenedReadModels>, numRuns: number): void {
  it('finds the artifacts that the reader may see, whatever happened to them and their trackers', async () => {
    const property = fc.asyncProperty(histories(40), batchSizes, async (history, sizes) => {
      const { store, models, tell, close } = await open();
      const run = await store.open(artifacts.name, artifacts.models, artifacts.version);
      await catchUp(store, run, history.events, sizes);
      // The history before this one may have ended later.
      await store.withdraw(artifacts.name);
      expect(await store.serve(artifacts.name, run)).to.equal(true);
      const position = history.events.at(-1)?.position ?? null;
      tell({ projection: artifacts.name, generation: run, position, models: [artifactViews.name] });
      if (position !== null) await models.caughtUp(artifacts.name, position, 30_000);
      await expectProjected(store, run, history);
      await expectFound(models, history);
      await close();
    });
    await fc.assert(property, { numRuns, endOnFailure: true });
  });
}
