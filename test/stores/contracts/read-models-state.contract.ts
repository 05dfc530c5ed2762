import { expect } from 'chai';
import { type Mark } from '../../../src/core/marks.js';
import {
  at,
  authors,
  deleted,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  reached,
  servedRun,
  written,
  type OpenedReadModels,
} from './read-models-fixture.js';

/** The text by which remembered answers are known to hold. */
export function itKnowsItsState(opened: () => OpenedReadModels): void {
  const latest = async (): Promise<string | undefined> => {
    await opened().models.refreshState?.();
    return opened().models.state();
  };
  const mark: Mark = { stream: 'note-1', type: 'Newer', schema: 2, revision: 0, position: at(5), reason: 'newer' };

  describe('the state', () => {
    it('is the same while nothing changes', async () => {
      const { commit } = await servedRun(opened());
      await commit(1, written(note(1), 1));
      const state = await latest();
      expect(state).to.be.a('string');
      expect(await opened().models.get(notes, 1)).to.deep.equal(note(1));
      expect([await latest(), await latest()]).to.deep.equal([state, state]);
    });

    it('is another one after each change of a document, and after each mark', async () => {
      const { run, commit } = await servedRun(opened());
      const states = [await latest()];
      for (const [n, change] of [
        written(note(1), 1),
        written(note(1), 2),
        deleted(1, 3),
        { model: authors, id: 1, document: { id: 1, name: 'Ann' }, position: at(4) },
      ].entries()) {
        await commit(n + 1, change);
        states.push(await latest());
      }
      await opened().store.commit(PROJECTION, run, [], reached(5), [mark]);
      states.push(await latest());
      expect(states).not.to.include(undefined);
      expect(new Set(states).size).to.equal(6);
    });

    it('is another one once another run is served, and once that is withdrawn', async () => {
      const { commit } = await servedRun(opened());
      await commit(3, written(note(1), 3));
      const states = [await latest()];
      const filling = await openRun(opened().store);
      for (const n of [1, 2, 3]) await filling.commit(n, written(note(1), n));
      await opened().store.verify(PROJECTION, filling.run, MODELS);
      await opened().store.serve(PROJECTION, filling.run);
      states.push(await latest());
      await opened().store.withdraw(PROJECTION);
      opened().withdrawn?.();
      states.push(await latest());
      expect(new Set(states).size).to.equal(3);
    });
  });
}
