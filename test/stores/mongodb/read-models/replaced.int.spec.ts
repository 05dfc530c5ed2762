import { expect } from 'chai';
import { once } from 'node:events';
import { type Db, type FindCursor } from 'mongodb';
import { mongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import {
  at,
  authors,
  note,
  notes,
  openRun,
  PROJECTION,
  written,
  type Note,
} from '../../contracts/read-models-fixture.js';
import { heldUp, IDS, place, type Place } from './fixture.js';

forEachMongoDb('a follower', ({ url }) => {
  let here: Place;

  beforeEach(() => {
    here = place(url());
  });

  afterEach(async () => {
    await here.close();
  });

  it('who comes to a generation that was removed meanwhile is handed the next one', async () => {
    const store = await here.worker();
    const replace = async (): Promise<void> => {
      const { run, commit } = await openRun(store);
      await commit(1, written(note(1), 1));
      await store.serve(PROJECTION, run);
    };
    await replace();
    const [asked, answered] = [new AbortController(), new AbortController()];
    const isAsked = once(asked.signal, 'abort');
    const answer = once(answered.signal, 'abort').then(() => []);
    const followed = heldUp(here.db, ({ collection, method, pass }) => {
      if (method !== 'find' || !collection.startsWith(`${authors.name}.`)) return pass();
      asked.abort();
      return { map: () => ({ toArray: () => answer }) };
    });
    const reader = await mongoReadModels({ db: here.db, followed, ids: IDS });
    const enough = new AbortController();
    const seen: (readonly Note['id'][] | undefined)[] = [];
    const receive = (documents: readonly Note[] | null): void => {
      seen.push(documents?.map(({ id }) => id));
    };
    const first = reader.subscribe(authors, () => undefined, enough.signal);
    await isAsked;
    const second = reader.subscribe(notes, receive, enough.signal);
    await replace();
    answered.abort();
    await Promise.all([first, second]);
    expect(seen).to.deep.equal([[1]]);
    enough.abort();
    await reader.close();
  });

  /** The first search in what is served at `replace` reaches the server after what it replaces is gone. */
  const overtaken = (replace: () => Promise<void>): Db => {
    let isOvertaken = false;
    return heldUp(here.db, ({ collection, method, pass }) => {
      if (isOvertaken || method !== 'find' || !collection.startsWith(`${notes.name}.`)) return pass();
      isOvertaken = true;
      const cursor = pass() as FindCursor<Uint8Array>;
      return {
        map: (rowIn: (bytes: Uint8Array) => unknown) => ({
          toArray: async () => {
            await replace();
            return cursor.map(rowIn).toArray();
          },
        }),
      };
    });
  };

  it('and a reader who come too late to one that was removed find what the next one has', async () => {
    const store = await here.worker();
    const replace = async (): Promise<void> => {
      const { run, commit } = await openRun(store);
      await commit(1, written(note(1), 1));
      await store.serve(PROJECTION, run);
    };
    await replace();
    const reader = await mongoReadModels({ db: overtaken(replace), followed: here.db, ids: IDS });
    expect(await reader.get(notes, 1)).to.deep.equal(note(1));
    await reader.close();

    const follower = await mongoReadModels({ db: here.db, followed: overtaken(replace), ids: IDS });
    const enough = new AbortController();
    const seen: (readonly Note['id'][] | undefined)[] = [];
    await follower.subscribe(notes, (documents) => seen.push(documents?.map(({ id }) => id)), enough.signal);
    expect(seen).to.deep.equal([[1]]);
    enough.abort();
    await follower.close();
  });

  it('who has caught up with one that replaced another is not ahead of other readers', async () => {
    const store = await here.worker();
    const [one, other] = [await here.reader(), await here.reader()];
    for (const id of [1, 2, 3, 4, 5]) {
      const { run, commit } = await openRun(store);
      await commit(id, written(note(id), id));
      const seen = one.caughtUp(PROJECTION, at(id), 5000).then(() => other.get(notes, id));
      await store.serve(PROJECTION, run);
      expect(await seen, String(id)).to.deep.equal(note(id));
    }
  });
});
