import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { projectionIds } from '../../../src/stores/mongodb/projection-ids.js';
import { mongoRebuildRequests, type Requests } from '../../../src/stores/mongodb/rebuild-requests.js';
import { forEachMongoDb } from '../../support/mongodb/for-each-mongodb.js';
import { place, type Place } from './read-models/fixture.js';

forEachMongoDb('requests of other processes', ({ url }) => {
  let here: Place;
  let requests: Requests;
  beforeEach(() => {
    here = place(url());
    requests = mongoRebuildRequests(here.db, projectionIds([{ name: 'users', version: 2 }]));
  });
  afterEach(() => here.close());

  const asked = async (): Promise<string> => {
    const id = randomUUID();
    await requests.ask(rebuild, id);
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
    await requests.answer(id, 1, 'done');
    await requests.ask(rebuild, id);
    expect(await requests.look(id)).to.deep.equal({ isThere: true, progress: undefined, answer: 'done' });
    expect(await requests.take('users', 2)).to.equal(null);
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
