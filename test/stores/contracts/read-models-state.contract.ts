import { expect } from 'chai';
import { type Mark } from '../../../src/core/marks.js';
import { type Stored } from '../../../src/core/projection.js';
import { type Document, type ReadModel } from '../../../src/core/read-models.js';
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
  type Note,
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

  describe('the stamp', () => {
    const letters: ReadModel<Note> = { ...notes, stamped: { references: 'to' } };
    const letterTo = (id: number, ...targets: readonly number[]): Note =>
      note(id, ...targets.map((value) => ({ key: 'to', value }) as const));
    /** Of the note 1 with all that refer to it, and of the note 2. */
    const stamped = async (): Promise<readonly (string | undefined)[]> => {
      await opened().models.refreshState?.();
      const { models } = opened();
      return [await models.stamp(letters, [1], 1), await models.stamp(letters, [2])];
    };
    /** Commits one change after the other, each with what it replaces. */
    const changing = async () => {
      const { run, commit } = await servedRun(opened());
      const stored = new Map<Document['id'], Stored>();
      let last = 1;
      const change = async (id: number, document: Note | null): Promise<void> => {
        last += 1;
        const position = at(last);
        await commit(last, { model: letters, id, document, position, before: stored.get(id) ?? null });
        stored.set(id, { document, position });
      };
      await change(9, letterTo(9));
      return { run, change };
    };

    it('is another one after each change of the document, and stays the same otherwise', async () => {
      const { change } = await changing();
      const seen = [await stamped()];
      for (const document of [letterTo(1), letterTo(1, 2), null, letterTo(1)]) {
        await change(1, document);
        seen.push(await stamped());
      }
      const [ones, twos] = [seen.map(([one]) => one), seen.map(([, two]) => two)];
      await change(2, letterTo(2));
      seen.push(await stamped());
      await change(3, letterTo(3, 4));
      expect(await stamped()).to.deep.equal(seen.at(-1));
      expect(ones).not.to.include(undefined);
      for (const [index, one] of ones.entries()) expect(one).not.to.equal(ones[index + 1]);
      expect(new Set(twos)).to.have.property('size', 1);
      expect(seen.at(-1)?.[0]).to.equal(ones.at(-1));
      expect(twos).not.to.include(seen.at(-1)?.[1]);
    });

    it('is another one while others begin to refer to the document, change, and cease to', async () => {
      const { change } = await changing();
      await change(1, letterTo(1));
      const seen = [await stamped()];
      for (const document of [letterTo(3, 1), letterTo(3, 2, 1), letterTo(3, 2), letterTo(3, 1), null]) {
        await change(3, document);
        seen.push(await stamped());
      }
      for (const [index, [one]] of seen.entries()) expect(one).not.to.equal(seen[index + 1]?.[0]);
      expect(new Set(seen.map(([, two]) => two))).to.have.property('size', 1);
    });

    it('is another one after a mark, and once another run is served', async () => {
      const { run } = await changing();
      const seen = [await stamped()];
      await opened().store.commit(PROJECTION, run, [], reached(5), [mark]);
      opened().tell({ projection: PROJECTION, generation: run, position: at(5), models: [], marked: [mark] });
      seen.push(await stamped());
      const filling = await openRun(opened().store);
      await filling.commit(5, { model: letters, id: 9, document: letterTo(9), position: at(2), before: null });
      await opened().store.verify(PROJECTION, filling.run, MODELS);
      expect(await opened().store.serve(PROJECTION, filling.run)).to.equal(true);
      opened().tell({ projection: PROJECTION, generation: filling.run, position: at(5), models: MODELS });
      seen.push(await stamped());
      expect(new Set(seen.map(([one]) => one))).to.have.property('size', 3);
    });
  });
}
