import { expect } from 'chai';
import { type Change } from '../../../../src/core/projection.js';
import { type Given, type Query, type ReadModels } from '../../../../src/core/read-models.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { failureOf, heldUp, place, type Place } from './fixture.js';
import {
  at,
  authors,
  everything,
  note,
  notes,
  PROJECTION,
  reached,
  servedRun,
  written,
  type Author,
} from '../../contracts/read-models-fixture.js';

/** Told by its name: who may see notes, then how many notes those are. It is written before the notes. */
const NAMES = 1;
const named = (values: readonly string[], total: number, n: number): Change => {
  const document: Author = { id: NAMES, name: [...values, total].join() };
  return { model: authors, id: NAMES, document, position: at(n) };
};
const given: Given<Author> = {
  from: authors,
  id: NAMES,
  take: (known) => {
    const values = known?.name.split(',') ?? [];
    return { where: [{ type: 'any-of', key: 'seen-by', values: values.slice(0, -1) }], total: Number(values.at(-1)) };
  },
};
const seenBy = (id: number, value: string) => note(id, { key: 'seen-by', value });
const visible: Query = { ...everything, where: [], given };

forEachMongoDb('what a query is given', ({ url }) => {
  let here: Place;
  let models: ReadModels;

  beforeEach(async () => {
    here = place(url());
    models = await here.reader();
  });

  afterEach(async () => {
    await here.close();
  });

  const served = async () => {
    const store = await here.worker();
    return servedRun({ store, models, tell: () => undefined, close: () => Promise.resolve() });
  };
  /** Commits changes one after the other, from event 2 on, until it is stopped. */
  const committing = async (run: number, changesOf: (n: number) => readonly Change[]) => {
    const store = await here.worker();
    const over = new AbortController();
    const writing = (async () => {
      for (let n = 2; !over.signal.aborted; n += 1) await store.commit(PROJECTION, run, changesOf(n), reached(n));
    })();
    return async () => {
      over.abort();
      await writing;
    };
  };
  const seen = async (query = visible) => {
    const { items, total } = await models.find(notes, query);
    return { ids: items.map((item) => item.id), total };
  };

  it('is of the moment of the page, or counted, while both change all the time', async () => {
    const { run, commit } = await served();
    await commit(1, named(['a', 'b'], 2, 1), written(seenBy(1, 'a'), 1), written(seenBy(2, 'b'), 1));
    const stop = await committing(run, (n) => {
      const isMore = n % 2 === 0;
      return [
        named(['a', 'b'], isMore ? 3 : 2, n),
        isMore ? written(seenBy(3, 'a'), n) : { ...written(seenBy(3, 'a'), n), document: null },
      ];
    });
    const totals = new Set<number>();
    for (let n = 0; n < 150; n += 1) {
      const { ids, total } = await seen();
      expect(ids).to.have.length(total);
      totals.add(total);
      const { ids: first, total: all } = await seen({ ...visible, limit: 1 });
      expect(first).to.deep.equal([1]);
      expect(all).to.be.oneOf([2, 3]);
    }
    await stop();
    expect(totals.size).to.equal(2);
  });

  it('is found while what it takes to be seen changes all the time', async () => {
    const { run, commit } = await served();
    await commit(1, named(['a', 'b'], 2, 1), written(seenBy(1, 'a'), 1), written(seenBy(2, 'b'), 1));
    const stop = await committing(run, (n) => [written(seenBy(1, n % 2 === 0 ? 'b' : 'a'), n)]);
    for (let n = 0; n < 150; n += 1) expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
    await stop();
  });

  it('is found as it was and as it will be while a commit is cut short', async () => {
    const { run, commit } = await served();
    await commit(1, named(['a'], 2, 1), written(seenBy(1, 'a'), 1), written(seenBy(2, 'a'), 1));
    expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
    const dying = await here.worker(
      heldUp(here.db, ({ collection, method, pass }) => {
        if (collection !== `notes.r${run}` || method !== 'bulkWrite') return pass();
        return (pass() as Promise<unknown>).then(() => Promise.reject(new Error('Killed')));
      }),
    );
    const changes = [named(['a', 'b'], 2, 2), written(seenBy(1, 'b'), 2)];
    expect(await failureOf(dying.commit(PROJECTION, run, changes, reached(2)))).to.have.property('message', 'Killed');
    expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
    const successor = await here.successor();
    await successor.commit(PROJECTION, run, changes, reached(2));
    expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
  });

  it('is not believed about totals while a commit is cut short, until any worker has finished it', async () => {
    const { run, commit } = await served();
    await commit(1, named(['a'], 2, 1), written(seenBy(1, 'a'), 1), written(seenBy(2, 'a'), 1));
    const dying = await here.worker(
      heldUp(here.db, ({ collection, method, pass }) => {
        if (collection === `notes.r${run}` && method === 'insertMany') throw new Error('Killed');
        return pass();
      }),
    );
    const killed = dying.commit(
      PROJECTION,
      run,
      [named(['a', 'b'], 4, 3), written(seenBy(3, 'a'), 3), written(seenBy(4, 'b'), 3)],
      reached(3),
    );
    expect(await failureOf(killed)).to.have.property('message', 'Killed');
    const first = { ...visible, limit: 1 };
    expect([await seen(), await seen(first)]).to.deep.equal([
      { ids: [1, 2], total: 2 },
      { ids: [1], total: 2 },
    ]);
    const successor = await here.successor();
    await successor.commit(PROJECTION, run, [written(seenBy(3, 'a'), 2)], reached(2));
    expect(await models.caughtUp(PROJECTION, at(2), 5000)).to.equal(true);
    expect(await seen(first)).to.deep.equal({ ids: [1], total: 3 });
    await successor.commit(PROJECTION, run, [written(seenBy(4, 'b'), 3)], reached(3));
    expect(await models.caughtUp(PROJECTION, at(3), 5000)).to.equal(true);
    expect(await seen(first)).to.deep.equal({ ids: [1], total: 4 });
  });
});
