import { expect } from 'chai';
import { type Document } from '../../../src/core/read-models.js';
import {
  at,
  deleted,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  servedRun,
  written,
  type OpenedReadModels,
} from './read-models-fixture.js';

interface HandOver {
  /** Null if nothing is served. */
  readonly ids: readonly Document['id'][] | null;
  readonly complete: boolean;
}

export function itFollowsReadModels(opened: () => OpenedReadModels): void {
  let enough: AbortController;

  beforeEach(() => {
    enough = new AbortController();
  });

  afterEach(() => {
    enough.abort();
  });

  const subscribe = async (signal = enough.signal): Promise<HandOver[]> => {
    const seen: HandOver[] = [];
    await opened().models.subscribe(
      notes,
      (documents, complete) => {
        seen.push({ ids: documents && documents.map(({ id }) => id).sort(), complete });
      },
      signal,
    );
    return seen;
  };
  /** What a subscriber knows after all hand-overs: complete ones replace what was known. */
  const known = (seen: readonly HandOver[]): readonly Document['id'][] =>
    [
      ...seen.reduce(
        (all, { ids, complete }) => new Set(complete ? ids : [...all, ...(ids ?? [])]),
        new Set<Document['id']>(),
      ),
    ].sort();
  const caughtUp = (n: number, patienceMs?: number): Promise<boolean> =>
    opened().models.caughtUp(PROJECTION, at(n), patienceMs);

  describe('following', () => {
    it('hands over all documents first', async () => {
      const { commit } = await servedRun(opened());
      await commit(1, written(note(1), 1), written(note(2), 1));
      expect(await subscribe()).to.deep.equal([{ ids: [1, 2], complete: true }]);
    });

    it('starts with nothing where nothing is served, and gets everything once it is', async () => {
      const seen = await subscribe();
      expect(seen).to.deep.equal([{ ids: null, complete: true }]);
      const { commit } = await servedRun(opened());
      await commit(1, written(note(1), 1));
      expect(await caughtUp(1)).to.equal(true);
      expect(known(seen)).to.deep.equal([1]);
    });

    it('hands over that nothing is served any longer, then everything of the run that is served next', async () => {
      const { commit } = await servedRun(opened());
      await commit(5, written(note(1), 1), written(note(2), 5));
      const seen = await subscribe();
      await opened().store.withdraw(PROJECTION);
      opened().withdrawn?.();
      const next = await servedRun(opened());
      await next.commit(2, written(note(3), 2));
      expect(await caughtUp(2)).to.equal(true);
      expect(seen.filter(({ complete }) => complete).map(({ ids }) => ids)).to.deep.include(null);
      expect(known(seen)).to.deep.equal([3]);
    });

    it('hands over what changes, before anybody is told that it is caught up', async () => {
      const { commit } = await servedRun(opened());
      await commit(1, written(note(1), 1));
      const seen = await subscribe();
      const reached = caughtUp(2).then((done) => ({ done, known: known(seen) }));
      await commit(2, written(note(2), 2));
      expect(await reached).to.deep.equal({ done: true, known: [1, 2] });
    });

    it('gets everything after a deletion', async () => {
      const { commit } = await servedRun(opened());
      await commit(1, written(note(1), 1), written(note(2), 1));
      const seen = await subscribe();
      await commit(2, deleted(1, 2));
      expect(await caughtUp(2)).to.equal(true);
      expect(seen.at(-1)).to.deep.equal({ ids: [2], complete: true });
      await commit(3, written(note(3), 3));
      expect(await caughtUp(3)).to.equal(true);
      expect(known(seen)).to.deep.equal([2, 3]);
    });

    it('gets everything of a run that is served anew', async () => {
      const { commit } = await servedRun(opened());
      await commit(1, written(note(1), 1));
      const seen = await subscribe();
      const next = await openRun(opened().store);
      await next.commit(2, written(note(7), 1));
      await opened().store.serve(PROJECTION, next.run);
      opened().tell({ projection: PROJECTION, generation: next.run, position: at(2), models: MODELS });
      expect(await caughtUp(2)).to.equal(true);
      expect(seen.at(-1)).to.deep.equal({ ids: [7], complete: true });
    });

    it('ends when its signal aborts', async () => {
      const { commit } = await servedRun(opened());
      const seen = await subscribe();
      enough.abort();
      await commit(1, written(note(1), 1));
      expect(await caughtUp(1)).to.equal(true);
      expect(seen).to.deep.equal([{ ids: [], complete: true }]);
    });
  });

  describe('catching up', () => {
    it('is done at once where the position is reached', async () => {
      const { commit } = await servedRun(opened());
      await commit(5);
      expect(await caughtUp(5, 0)).to.equal(true);
      expect(await caughtUp(4, 0)).to.equal(true);
    });

    it('waits for the commit, whoever else waits', async () => {
      const { commit } = await servedRun(opened());
      const both = Promise.all([caughtUp(2), caughtUp(2)]);
      await commit(1);
      await commit(2, written(note(1), 2));
      expect(await both).to.deep.equal([true, true]);
      expect((await opened().models.get(notes, 1))?.id).to.equal(1);
    });

    it('is given up when patience runs out', async () => {
      const { commit } = await servedRun(opened());
      await commit(1);
      expect(await caughtUp(2, 5)).to.equal(false);
      expect(await opened().models.caughtUp('unknown', at(1), 5)).to.equal(false);
    });
  });
}
