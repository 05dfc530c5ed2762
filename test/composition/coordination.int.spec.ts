import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { initialStatus, storedStatus, transition } from '../../projections/engine/projection-status.js';
import { coordination, reportIn } from '../../src/composition/coordination.js';
import { NO_MARKS } from '../../src/core/marks.js';
import { projectionDocuments } from '../../src/stores/mongodb/projection-documents.js';
import { projectionIds } from '../../src/stores/mongodb/projection-ids.js';
import { mongoRebuildRequests } from '../../src/stores/mongodb/rebuild-requests.js';
import { at } from '../stores/contracts/read-models-fixture.js';
import { place } from '../stores/mongodb/read-models/fixture.js';
import { forEachMongoDb } from '../support/mongodb/for-each-mongodb.js';

forEachMongoDb('workers that share projections', ({ url }) => {
  const { signal } = new AbortController();
  const ids = projectionIds([{ name: 'users', version: 3 }]);
  const onError = (): void => undefined;
  const failed: RebuildResult = { outcome: 'failed', projection: 'users', reason: 'its run is gone' };
  const served: RebuildResult = {
    outcome: 'served',
    projection: 'users',
    generation: 2,
    events: 1,
    milliseconds: 1,
    differences: [],
  };

  it('leave a rebuild open that fails after its worker was replaced, and that worker does not know it yet', async () => {
    const here = place(url());
    const requests = mongoRebuildRequests(here.db, ids);
    const [one, other] = [0, 1].map(() => coordination({ db: here.db, ids, requests, onError }));
    const id = randomUUID();
    const lease = await one!.acquire('users', signal);
    await requests.ask({ projection: 'users', together: ['users', 'files'] }, id);
    const request = (await one!.nextRebuildRequest('users', lease.token))!;
    expect(request.together).to.deep.equal(['users', 'files']);
    await lease.release();
    const next = await other!.acquire('users', signal);
    await request.answer(failed);
    expect((await requests.look(id)).answer).to.equal(undefined);
    const nextRequest = (await other!.nextRebuildRequest('users', next.token))!;
    await request.answer(served);
    expect((await requests.look(id)).answer).to.equal(undefined);
    await nextRequest.answer(failed);
    expect((await requests.look(id)).answer).to.deep.equal(failed);
    await next.release();
    await here.close();
  });

  it('tell how a projection is doing, as earlier releases do', async () => {
    const here = place(url());
    const requests = mongoRebuildRequests(here.db, ids);
    const shared = coordination({ db: here.db, ids, requests, onError });
    const lease = await shared.acquire('users', signal);
    const progress = { generation: 1, position: at(7), event: null, marks: NO_MARKS };
    const live = transition(initialStatus({ name: 'users', version: 3 }), { type: 'served', progress });
    const status = transition(live, { type: 'filling', progress: null });
    await shared.publishStatus('users', lease.token, { status, heldUp: null });
    const stored = await projectionDocuments(here.db).findOne({ _id: ids.idOf('users') });
    expect(reportIn(stored?.status)).to.deep.equal({ status, heldUp: null });
    expect(JSON.parse(String(stored?.status))).to.deep.include({ status: storedStatus(status) });
    expect(stored?.version).to.equal(3);
    await lease.release();
    await here.close();
  });

  it('tell nothing of a projection that another worker has taken over', async () => {
    const here = place(url());
    const requests = mongoRebuildRequests(here.db, ids);
    const [one, other] = [0, 1].map(() => coordination({ db: here.db, ids, requests, onError }));
    const lost = await one!.acquire('users', signal);
    await lost.release();
    const lease = await other!.acquire('users', signal);
    const status = initialStatus({ name: 'users', version: 3 });
    await other!.publishStatus('users', lease.token, { status, heldUp: null });
    const late = transition(status, { type: 'troubled', reason: 'late' });
    await one!.publishStatus('users', lost.token, { status: late, heldUp: null });
    const stored = await projectionDocuments(here.db).findOne({ _id: ids.idOf('users') });
    expect(reportIn(stored?.status)).to.deep.equal({ status, heldUp: null });
    await lease.release();
    await here.close();
  });
});
