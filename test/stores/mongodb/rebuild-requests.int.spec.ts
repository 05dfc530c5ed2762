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
    requests = mongoRebuildRequests(here.db, projectionIds([{ name: 'users', version: 2 }]), () => new Date());
  });
  afterEach(() => here.close());

  const asked = async (): Promise<string> => {
    const id = randomUUID();
    await requests.ask(rebuild, id);
    return id;
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

  it('that were removed are seen to be gone', async () => {
    const id = await asked();
    await requests.remove(id);
    expect((await requests.look(id)).isThere).to.equal(false);
  });
});
