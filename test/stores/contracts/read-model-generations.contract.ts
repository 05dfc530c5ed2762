import { expect } from 'chai';
import { compareIds } from '../../../projections/engine/filling/comparison.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { type Mark } from '../../../src/core/marks.js';
import {
  at,
  authors,
  deleted,
  everything,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  servedRun,
  written,
  type OpenedReadModels,
  reached,
  expectNotServed,
} from './read-models-fixture.js';

/** What a slice holds at most, so that it keeps a thread for milliseconds only. */
const MOST_ROWS = 200;
const MOST_BYTES = 256 * 1024;

export function itKeepsGenerationsApart(opened: () => OpenedReadModels): void {
  const serve = async (run: number, n: number): Promise<boolean> => {
    const done = await opened().store.serve(PROJECTION, run);
    if (done) opened().tell({ projection: PROJECTION, generation: run, position: at(n), models: MODELS });
    return done;
  };
  const served = async (): Promise<readonly unknown[]> => {
    const { items } = await opened().models.find(notes, everything);
    return items.map(({ title }) => title);
  };
  const titled = (title: string, n: number) => written({ ...note(1), title }, n);

  describe('a run', () => {
    it('is not seen before it is served', async () => {
      const { run, commit } = await openRun(opened().store);
      await commit(1, titled('first', 1));

      expect(await opened().store.serving(PROJECTION)).to.equal(null);
      await expectNotServed(served());
      expect(await serve(run, 1)).to.equal(true);
      expect(await opened().store.serving(PROJECTION)).to.equal(run);
      expect(await served()).to.deep.equal(['first']);
    });

    it('is filled beside the one that goes on being updated and served', async () => {
      const old = await servedRun(opened());
      await old.commit(1, titled('old', 1));
      const next = await openRun(opened().store, 2);
      await next.commit(1, titled('next', 1));
      await old.commit(2, titled('old, changed', 2));

      expect(next.run).not.to.equal(old.run);
      expect(await opened().store.checkpoint(PROJECTION, next.run)).to.deep.equal(reached(1, 2));
      expect(await served()).to.deep.equal(['old, changed']);
    });

    it('has the marks of its commits, which readers know with the checkpoint, and which go with it', async () => {
      const { store, models, tell } = opened();
      const old = await servedRun(opened());
      const next = await openRun(store);
      const mark = (stream: StreamName, n: number): Mark => ({
        ...{ stream, type: 'Moved', schema: 2, revision: 3, position: at(n), reason: 'it moved' },
      });
      const marked = async (run: number, n: number, ...marks: readonly Mark[]): Promise<void> => {
        await store.commit(PROJECTION, run, [written(note(n), n)], reached(n), marks);
        tell({ projection: PROJECTION, generation: run, position: at(n), models: MODELS, marked: marks });
      };
      await marked(old.run, 1, mark('note-1', 1));
      expect(await models.caughtUp(PROJECTION, at(1))).to.equal(true);
      for (const model of MODELS) expect([...models.marks(model)]).to.deep.equal([['note-1', mark('note-1', 1)]]);
      expect(models.marks('of-others').size).to.equal(0);

      // Again, by one who does not know that it was done.
      await marked(old.run, 2, mark('note-1', 1), { ...mark('name-user.0.ab', 2), schema: null });
      expect(await models.caughtUp(PROJECTION, at(2))).to.equal(true);
      expect([...models.marks(notes.name).keys()].sort()).to.deep.equal(['name-user.0.ab', 'note-1']);
      const known = await store.marks(PROJECTION, old.run);
      expect([...known].sort((a, b) => (a.position < b.position ? -1 : 1))).to.deep.equal([
        mark('note-1', 1),
        { ...mark('name-user.0.ab', 2), schema: null },
      ]);
      expect(await store.marks(PROJECTION, next.run)).to.deep.equal([]);

      await store.commit(PROJECTION, next.run, [written(note(2), 2)], reached(2), [mark('note-2', 2)]);
      expect(await serve(next.run, 2)).to.equal(true);
      expect(await models.caughtUp(PROJECTION, at(2))).to.equal(true);
      await models.get(notes, 2);
      expect([...models.marks(notes.name).keys()]).to.deep.equal(['note-2']);
      expect(await store.marks(PROJECTION, old.run)).to.deep.equal([]);
    });

    it('is refused while it is behind the one it would replace', async () => {
      const old = await servedRun(opened());
      await old.commit(2, titled('old', 2));
      const next = await openRun(opened().store);
      expect(await serve(next.run, 0)).to.equal(false);
      await next.commit(1, titled('next', 1));

      expect(await serve(next.run, 1)).to.equal(false);
      expect(await opened().store.serving(PROJECTION)).to.equal(old.run);
      expect(await served()).to.deep.equal(['old']);
      await next.commit(2, titled('next', 2));
      expect(await serve(next.run, 2)).to.equal(true);
      expect(await served()).to.deep.equal(['next']);
    });

    it('that is served may be served again, which changes nothing', async () => {
      const { run, commit } = await servedRun(opened());
      await commit(1, titled('one', 1));
      expect(await serve(run, 1)).to.equal(true);
      expect(await opened().store.serving(PROJECTION)).to.equal(run);
      expect(await served()).to.deep.equal(['one']);
      await commit(2, titled('two', 2));
      expect(await served()).to.deep.equal(['two']);
    });

    it('that no process has opened cannot be served', async () => {
      expect(await serve(99, 1)).to.equal(false);
    });

    it('is removed once it is replaced', async () => {
      const { store } = opened();
      const one = await servedRun(opened());
      await one.commit(1, titled('one', 1));
      const two = await openRun(store);
      await two.commit(1, titled('two', 1));
      await serve(two.run, 1);
      expect(await served()).to.deep.equal(['two']);
      expect(await store.checkpoint(PROJECTION, one.run)).to.equal(null);
      expect(await serve(one.run, 1)).to.equal(false);
      expect(await served()).to.deep.equal(['two']);
    });

    it('that is withdrawn is seen no longer, and one that is behind it can be served', async () => {
      const old = await servedRun(opened());
      await old.commit(5, titled('old', 5));
      await opened().store.withdraw(PROJECTION);
      opened().withdrawn?.();
      expect(await opened().store.serving(PROJECTION)).to.equal(null);
      expect(await opened().store.checkpoint(PROJECTION, old.run)).to.equal(null);
      await expectNotServed(served());
      expect(await opened().models.caughtUp(PROJECTION, at(5), 0)).to.equal(false);

      const next = await openRun(opened().store);
      await next.commit(2, titled('next', 2));
      expect(await serve(next.run, 2)).to.equal(true);
      expect(await opened().models.caughtUp(PROJECTION, at(2))).to.equal(true);
      expect(await served()).to.deep.equal(['next']);
      expect(await opened().models.caughtUp(PROJECTION, at(3), 0)).to.equal(false);
    });

    it('is discarded without a trace in the others', async () => {
      const old = await servedRun(opened());
      await old.commit(1, titled('old', 1));
      const next = await openRun(opened().store);
      await next.commit(1, titled('next', 1));
      await opened().store.discard(PROJECTION, next.run, MODELS);

      expect(await opened().store.checkpoint(PROJECTION, next.run)).to.equal(null);
      expect(await served()).to.deep.equal(['old']);
      expect(await opened().store.verify(PROJECTION, old.run, MODELS)).to.deep.equal([]);
    });

    it('gives its documents in short slices, numbered ones first, without those that are deleted', async () => {
      const { run, commit } = await openRun(opened().store);
      const ids = [-1, ...Array.from({ length: 450 }, (_, n) => n / 2), '', 'a', 'b/7', 'é'];
      await commit(1, ...ids.map((id) => written(note(id), 1)));
      await commit(2, deleted(7, 2));
      const slices = [];
      for await (const slice of opened().store.documents(run, notes.name)) slices.push(slice);

      const there = ids.filter((id) => id !== 7).sort(compareIds);
      const found = slices.flat();
      expect(found.map(({ id }) => id)).to.deep.equal(there);
      expect(found[0]).to.deep.equal({ id: -1, body: JSON.stringify(note(-1)), position: at(1) });
      expect(Math.max(...slices.map(({ length }) => length))).to.be.at.most(MOST_ROWS);
      for await (const slice of opened().store.documents(run, authors.name)) expect(slice).to.deep.equal([]);
    });

    it('gives large documents a few at a time', async () => {
      const { run, commit } = await openRun(opened().store);
      const title = 'x'.repeat(MOST_BYTES - 100);
      await commit(1, ...[1, 2, 3, 4, 5].map((id) => written({ ...note(id), title }, 1)));
      let count = 0;
      for await (const slice of opened().store.documents(run, notes.name)) {
        expect(slice.length).to.be.at.most(2);
        count += slice.length;
      }
      expect(count).to.equal(5);
    });

    it('lets other work of the thread come in between while it is verified', async () => {
      const { run, commit } = await openRun(opened().store);
      const entry = (n: number) => ({ key: 'title', value: n });
      await commit(1, ...Array.from({ length: 1000 }, (_, n) => written(note(n, entry(n)), 1)));
      let [turns, isOver] = [0, false];
      const other = (): void => {
        turns += 1;
        if (!isOver) setImmediate(other);
      };
      other();
      expect(await opened().store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
      const verifying = turns;
      for await (const slice of opened().store.documents(run, notes.name)) expect(slice).not.to.deep.equal([]);
      isOver = true;
      expect(verifying).to.be.at.least(1000 / MOST_ROWS);
      expect(turns - verifying).to.be.at.least(1000 / MOST_ROWS);
    });

    it('cannot be discarded while it is served', async () => {
      const { run } = await servedRun(opened());
      const failure: unknown = await opened()
        .store.discard(PROJECTION, run, MODELS)
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error);
      expect(await opened().store.serving(PROJECTION)).to.equal(run);
    });

    it('belongs to its projection', async () => {
      const { run } = await servedRun(opened());
      expect(await opened().store.serving('others')).to.equal(null);
      expect(await opened().store.checkpoint('others', run)).to.equal(null);
      expect(await opened().store.serve('others', run)).to.equal(false);
    });
  });
}
