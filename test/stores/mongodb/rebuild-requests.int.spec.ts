import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { projectionIds } from '../../../src/stores/mongodb/projection-ids.js';
import { mongoRebuildRequests, type Requests } from '../../../src/stores/mongodb/rebuild-requests.js';
import { forEachMongoDb } from '../../support/mongodb/for-each-mongodb.js';
import { place, type Place } from './read-models/fixture.js';

forEachMongoDb('requests of other processes', ({ url }) => {
  const VERSIONS = ['users', 'files'].map((name) => ({ name, version: 2 }));
  let here: Place;
  let requests: Requests;
  beforeEach(() => {
    here = place(url());
    requests = mongoRebuildRequests(here.db, projectionIds(VERSIONS));
  });
  afterEach(() => here.close());

  const asked = async (of = rebuild): Promise<string> => {
    const id = randomUUID();
    await requests.ask(of, id);
    return id;
  };
  /** As if its process had neither asked nor renewed since. */
  const aged = async (id: string, seconds: number): Promise<void> => {
    const askedAt = new Date(Date.now() - seconds * 1000);
    await here.db.collection<{ _id: string }>('requests').updateOne({ _id: id }, { $set: { askedAt } });
  };
  const rebuild = { projection: 'users', together: ['users', 'files'] };

  it('are put once, however often that is tried', async () => {
    const id = await asked();
    await requests.ask(rebuild, id);
    expect(await requests.take('users', 1)).to.deep.equal({ id, together: rebuild.together });
    await requests.progress(id, 1, { events: 7 });
    expect((await requests.look(id)).progress).to.deep.equal({ events: 7 });
    await requests.answer(id, 1, 'done');
    await requests.ask(rebuild, id);
    expect(await requests.look(id)).to.deep.equal({ isThere: true, progress: { events: 7 }, answer: 'done' });
    expect(await requests.take('users', 2)).to.equal(null);
    expect([...(await requests.open())]).to.deep.equal([]);
  });

  it('are taken up for one projection, the one first that was renewed longest ago', async () => {
    const [one, other] = [await asked(), await asked()];
    await aged(one, 10);
    await aged(other, 15);
    const files = await asked({ ...rebuild, projection: 'files' });
    await aged(files, 20);
    expect(await requests.take('users', 1)).to.include({ id: other });
    await requests.renew(other);
    expect(await requests.take('users', 1)).to.include({ id: one });
    expect(await requests.take('files', 1)).to.include({ id: files });
  });

  it('are left to the release of which they are', async () => {
    const later = mongoRebuildRequests(here.db, projectionIds([{ name: 'users', version: 3 }]));
    await later.ask(rebuild, randomUUID());
    expect([...(await requests.open())]).to.deep.equal([]);
    expect(await requests.take('users', 1)).to.equal(null);
    expect([...(await later.open())]).to.deep.equal(['users']);
  });

  it('are removed when others are put a day later', async () => {
    const [old, older] = [await asked(), await asked()];
    await aged(old, 23 * 3600);
    await aged(older, 25 * 3600);
    await asked();
    expect((await requests.look(old)).isThere).to.equal(true);
    expect((await requests.look(older)).isThere).to.equal(false);
  });

  it('without an answer are taken up again by the same holder, and by a later one, but not by an earlier one', async () => {
    const id = await asked();
    for (const token of [2, 2, 3]) expect(await requests.take('users', token)).to.include({ id });
    expect(await requests.take('users', 2)).to.equal(null);
    await requests.answer(id, 2, 'late');
    expect((await requests.look(id)).answer).to.equal(undefined);
  });

  it('that nobody has taken are passed over half a minute after they were last renewed', async () => {
    const id = await asked();
    await aged(id, 20);
    expect([...(await requests.open())]).to.deep.equal(['users']);
    await aged(id, 40);
    expect([...(await requests.open())]).to.deep.equal([]);
    expect(await requests.take('users', 1)).to.equal(null);
    await requests.renew(id);
    expect([...(await requests.open())]).to.deep.equal(['users']);
    expect(await requests.take('users', 1)).to.include({ id });
  });

  it('that a worker has taken go on, whether they are renewed or not', async () => {
    const id = await asked();
    expect(await requests.take('users', 1)).to.include({ id });
    await aged(id, 3600);
    expect([...(await requests.open())]).to.deep.equal(['users']);
    expect(await requests.take('users', 2)).to.include({ id });
  });

  it('that were removed are seen to be gone', async () => {
    const id = await asked();
    await requests.remove(id);
    await requests.renew(id);
    expect((await requests.look(id)).isThere).to.equal(false);
  });
});
