import { expect } from 'chai';
import {
  at,
  everything,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  servedRun,
  written,
  type OpenedReadModels,
} from './read-models-fixture.js';

export function itKeepsRunsApart(opened: () => OpenedReadModels): void {
  const serve = async (run: number, n: number): Promise<boolean> => {
    const done = await opened().store.serve(PROJECTION, run);
    if (done) opened().tell({ projection: PROJECTION, run, position: at(n), models: MODELS });
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
      expect(await served()).to.deep.equal([]);
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
      expect(await opened().store.checkpoint(PROJECTION, next.run)).to.deep.equal({ version: 2, position: at(1) });
      expect(await served()).to.deep.equal(['old, changed']);
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

    it('that nobody has opened cannot be served', async () => {
      expect(await serve(99, 1)).to.equal(false);
    });

    it('is kept for one rollback once it is replaced, and no longer', async () => {
      const runs = [];
      for (const title of ['one', 'two', 'three']) {
        const next = await openRun(opened().store);
        await next.commit(1, titled(title, 1));
        await serve(next.run, 1);
        runs.push(next.run);
      }
      const [one = 0, two = 0] = runs;

      expect(await served()).to.deep.equal(['three']);
      expect(await opened().store.checkpoint(PROJECTION, one)).to.equal(null);
      expect(await opened().store.checkpoint(PROJECTION, two)).not.to.equal(null);
      expect(await opened().store.previous(PROJECTION)).to.equal(two);
      expect(await serve(two, 1)).to.equal(true);
      expect(await served()).to.deep.equal(['two']);
      expect(await opened().store.previous(PROJECTION)).to.equal(runs[2]);
    });

    it('that was replaced is caught up and served again', async () => {
      const { store } = opened();
      const one = await openRun(store);
      await one.commit(1, titled('one', 1));
      expect(await store.previous(PROJECTION)).to.equal(null);
      await serve(one.run, 1);
      const two = await openRun(store, 2);
      await two.commit(1, titled('two', 1));
      await serve(two.run, 1);
      await two.commit(2, titled('two, changed', 2));
      expect(await serve(one.run, 1)).to.equal(false);
      expect(await store.checkpoint(PROJECTION, one.run)).to.deep.equal({ version: 1, position: at(1) });
      await one.commit(2, titled('one, changed', 2));
      expect(await store.verify(PROJECTION, one.run, MODELS)).to.deep.equal([]);
      expect(await serve(one.run, 2)).to.equal(true);
      expect(await served()).to.deep.equal(['one, changed']);
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
