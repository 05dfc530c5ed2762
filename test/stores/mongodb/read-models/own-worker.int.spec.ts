import { expect } from 'chai';
import { type Mark } from '../../../../src/core/marks.js';
import { type Progress, type ReadModelStore } from '../../../../src/core/projection.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { type MongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import {
  at,
  authors,
  note,
  notes,
  openRun,
  PROJECTION,
  reached,
  written,
  type Author,
  type Note,
  type Writing,
} from '../../contracts/read-models-fixture.js';
import { heldUp, place, until, type Place } from './fixture.js';

forEachMongoDb('a reader beside its own worker', ({ url }) => {
  let here: Place;
  let store: ReadModelStore;
  let reader: MongoReadModels;
  let writing: Writing;

  beforeEach(async () => {
    here = place(url());
    store = await here.worker();
    reader = await here.reader();
    writing = await openRun(store);
    await store.serve(PROJECTION, writing.run);
  });

  afterEach(async () => {
    await here.close();
  });

  /** Lets no look at the projections through any longer. */
  const blind = async (
    before: (own: MongoReadModels) => Promise<void> = () => Promise.resolve(),
  ): Promise<MongoReadModels> => {
    let isBlind = false;
    const watched = heldUp(here.db, ({ collection, pass }) =>
      isBlind && isState(collection) ? { toArray: () => Promise.reject(new Error('Blind')) } : pass(),
    );
    const own = await here.reader(watched);
    await before(own);
    // The look that is under way, and whatever comes of it.
    const followed = own.followedAt();
    await until(() => own.followedAt() > followed);
    isBlind = true;
    return own;
  };
  const isState = (collection: string): boolean => collection === projectionDocuments(here.db).collectionName;
  const news = (n: number, models: readonly string[] = [notes.name]): Progress => ({
    projection: PROJECTION,
    generation: writing.run,
    position: at(n),
    models,
  });

  it('sees a commit of its worker without a poll', async () => {
    const own = await blind();
    const caughtUp = own.caughtUp(PROJECTION, at(1), 20_000);
    await writing.commit(1, written(note(1), 1));
    own.notice(news(1));
    expect(await caughtUp).to.equal(true);
    own.notice(news(2, []));
    expect(await own.caughtUp(PROJECTION, at(2), 20_000)).to.equal(true);
    expect(await own.caughtUp(PROJECTION, at(3), 5)).to.equal(false);
  });

  it('notifies subscribers of a commit before waiting requests', async () => {
    const titles: (string | undefined)[] = [];
    const receive = (documents: readonly Note[] | null): void => {
      titles.push(...(documents ?? []).map(({ title }) => title));
    };
    const enough = new AbortController();
    const own = await blind((reading) => reading.subscribe(notes, receive, enough.signal));
    const caughtUp = own.caughtUp(PROJECTION, at(1), 20_000).then(() => [...titles]);
    await writing.commit(1, written({ ...note(1), title: 'new' }, 1));
    own.notice(news(1));
    expect(await caughtUp).to.deep.equal(['new']);
    enough.abort();
  });

  it('notifies subscribers of all commits that come between two polls', async () => {
    const seen: Note['id'][] = [];
    const receive = (documents: readonly Note[] | null): void => {
      seen.push(...(documents ?? []).map(({ id }) => id));
    };
    const enough = new AbortController();
    const own = await blind((reading) => reading.subscribe(notes, receive, enough.signal));
    await writing.commit(1, written(note(1), 1));
    const ann: Author = { id: 1, name: 'Ann' };
    await writing.commit(2, { model: authors, id: 1, document: ann, position: at(2) });
    own.notice(news(1));
    own.notice(news(2, [authors.name]));
    expect(await own.caughtUp(PROJECTION, at(2), 20_000)).to.equal(true);
    expect(seen).to.deep.equal([1]);
    enough.abort();
  });

  it('keeps the reported commit after an older poll', async () => {
    await writing.commit(1, written(note(1), 1));
    await reader.caughtUp(PROJECTION, at(1));
    reader.notice(news(7, []));
    const looked = reader.followedAt();
    await until(() => reader.followedAt() > looked);
    expect(await reader.caughtUp(PROJECTION, at(7), 0)).to.equal(true);
    reader.notice({ ...news(9), generation: writing.run + 1 });
    expect(await reader.caughtUp(PROJECTION, at(9), 5)).to.equal(false);
  });

  it('shows no commit with marks before their marks are known', async () => {
    const mark: Mark = { stream: 'note-1', type: 'Unheard', schema: 1, revision: 0, position: at(2), reason: 'newer' };
    reader.notice({ ...news(2), marked: [mark] });
    expect(await reader.caughtUp(PROJECTION, at(2), 5)).to.equal(false);
    await store.commit(PROJECTION, writing.run, [], reached(2), [mark]);
    expect(await reader.caughtUp(PROJECTION, at(2), 20_000)).to.equal(true);
    expect([...reader.marks(notes.name).keys()]).to.deep.equal(['note-1']);

    // To copy them all each time would take long once they are many.
    const known = reader.marks(notes.name);
    const later: Mark = { ...mark, stream: 'note-2', position: at(3) };
    await store.commit(PROJECTION, writing.run, [], reached(3), [later]);
    expect(await reader.caughtUp(PROJECTION, at(3), 20_000)).to.equal(true);
    expect([...known.keys()]).to.deep.equal(['note-1', 'note-2']);
    expect(reader.marks(notes.name)).to.equal(known);
  });
});
