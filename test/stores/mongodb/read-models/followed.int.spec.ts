import { expect } from 'chai';
import { mongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { SETTLE_MS } from '../../../../src/stores/mongodb/read-models/state.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { at, note, notes, openRun, PROJECTION, written, type Note } from '../../contracts/read-models-fixture.js';
import { heldUp, IDS, place, type Place } from './fixture.js';

forEachMongoDb('followed read models', ({ url }) => {
  let here: Place;

  beforeEach(() => {
    here = place(url());
  });

  afterEach(async () => {
    await here.close();
  });

  it('do not wait for what is asked beside them', async () => {
    const store = await here.worker();
    const writing = await openRun(store);
    await store.serve(PROJECTION, writing.run);
    const never = (): Promise<never> => new Promise(() => undefined);
    const unanswered = heldUp(here.db, () => ({ toArray: never, then: never }));
    const reader = await mongoReadModels({ db: unanswered, followed: here.db, ids: IDS });
    void reader.getMany(notes, [1]);
    const known = new Set<Note['id']>();
    const enough = new AbortController();
    const receive = (documents: readonly Note[] | null): void => {
      for (const { id } of documents ?? []) known.add(id);
    };
    await reader.subscribe(notes, receive, enough.signal);
    await writing.commit(1, written(note(1), 1));
    expect(await reader.caughtUp(PROJECTION, at(1), 20_000)).to.equal(true);
    expect([...known]).to.deep.equal([1]);
    enough.abort();
    await reader.close();
  });

  it('are caught up only once the readers of other processes have had the time to see the same', async () => {
    const writing = await openRun(await here.worker());
    await (await here.worker()).serve(PROJECTION, writing.run);
    const reader = await here.reader();
    let toldAt = -Infinity;
    const enough = new AbortController();
    await reader.subscribe(notes, () => (toldAt = performance.now()), enough.signal);
    await writing.commit(1, written(note(1), 1));
    expect(await reader.caughtUp(PROJECTION, at(1), 20_000)).to.equal(true);
    // A timer may be a millisecond early.
    expect(performance.now() - toldAt).to.be.at.least(SETTLE_MS - 2);
    enough.abort();
  });
});
