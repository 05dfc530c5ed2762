import { expect } from 'chai';
import { type Query, type ReadModels } from '../../../../src/core/read-models.js';
import { talliesOf } from '../../../../src/stores/mongodb/read-models/tallies.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { failureOf, heldUp, place, type Place } from './fixture.js';
import {
  everything,
  note,
  notes,
  PROJECTION,
  servedRun,
  written,
  type Note,
  reached,
} from '../../contracts/read-models-fixture.js';

/** Open to whoever may see what is limited by `seen-by`. */
const open = (id: number, ...present: readonly string[]): Note =>
  note(
    id,
    { key: 'group', value: 1, counted: true },
    { key: 'limits', present },
    ...present.map((key) => ({ key, value: 5, counted: true }) as const),
  );
const shut = (id: number): Note => open(id, 'seen-by');
const visible: Query = {
  ...everything,
  where: [
    { type: 'any-of', key: 'group', values: [1] },
    { type: 'none-or-any-of', key: 'seen-by', values: [7], within: { key: 'group', value: 1, presentKey: 'limits' } },
  ],
};

forEachMongoDb('who may see what', ({ url }) => {
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
  const seen = async (query = visible) => {
    const { items, total } = await models.find(notes, query);
    return { ids: items.map((item) => item.id), total };
  };

  it('is found while what limits a document changes all the time, but never who may see it', async () => {
    const { run, commit } = await served();
    await commit(1, written(open(1), 1), written(open(2, 'other'), 1), written(shut(3), 1));
    const store = await here.worker();
    const over = new AbortController();
    const writing = (async () => {
      for (let n = 2; !over.signal.aborted; n += 1) {
        const changed = n % 2 === 0 ? open(1, 'another') : open(1);
        await store.commit(PROJECTION, run, [written(changed, n)], reached(n));
      }
    })();
    for (let n = 0; n < 150; n += 1) expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
    over.abort();
    await writing;
  });

  it('is found as it was and as it will be while a commit is cut short', async () => {
    const { run, commit } = await served();
    await commit(1, written(open(1), 1), written(open(2), 1));
    const dying = await here.worker(
      heldUp(here.db, ({ collection, method, pass }) => {
        if (collection === `notes.r${run}` && method === 'bulkWrite') throw new Error('Killed');
        return pass();
      }),
    );
    const changes = [written(open(1, 'other'), 2), written(open(2, 'other'), 2)];
    const killed = dying.commit(PROJECTION, run, changes, reached(2));
    expect(await failureOf(killed)).to.have.property('message', 'Killed');
    expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
    const successor = await here.successor();
    await successor.checkpoint(PROJECTION, run);
    await successor.commit(PROJECTION, run, changes, reached(2));
    expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
  });

  it('is asked of the documents where tallies of an earlier release do not say it', async () => {
    const { run, commit } = await served();
    await commit(1, written(open(1), 1), written(open(2, 'other'), 1), written(shut(3), 1));
    await talliesOf(here.db, notes.name, run).updateMany({}, { $unset: { l: true } });
    expect(await seen()).to.deep.equal({ ids: [1, 2], total: 2 });
    expect(await seen({ ...visible, limit: 1 })).to.deep.equal({ ids: [1], total: 2 });
  });
});
