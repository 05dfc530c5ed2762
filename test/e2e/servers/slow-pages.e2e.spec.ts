import { expect } from 'chai';
import { inTracker } from '../../../src/artifacts/artifact-view.js';
import { gateTo, type Gate } from '../../support/mongodb/gate.js';
import { withOptions } from '../../support/mongodb/options.js';
import { runService, type RunningService } from '../../support/service.js';
import { serverStores, type ServerStores } from '../../support/stores.js';
import { eventually } from './eventually.js';

/** Of each client of the service for its MongoDB. */
const CONNECTIONS = 8;
/** Sooner than such a page is given up. */
const SOON_MS = 5000;

describe('Pages of artifacts that MongoDB does not answer', () => {
  let stores: ServerStores;
  let gate: Gate;
  let api: RunningService;
  let id: number;

  before(async () => {
    stores = await serverStores('mongo-java-server');
    gate = await gateTo(stores.database.url);
    const MONGODB_URL = withOptions(gate.url, `maxPoolSize=${CONNECTIONS}`);
    api = await runService({ env: { ...stores.env, MONGODB_URL } });
    id = await submitted();
  });

  after(async () => {
    await gate.open();
    await api.stop();
    await gate.shut();
    await stores.remove();
  });

  const submitted = async (): Promise<number> => {
    const values = [{ field_id: api.field('bug', 'title'), value: 'a bug' }];
    const answer = await api.post('/artifacts', { as: 'alice', body: { tracker: { id: api.tracker('bug') }, values } });
    expect(answer.status).to.equal(201);
    return (answer.body as { id: number }).id;
  };

  it('delay neither sign-in nor requests with a token, and are refused once many wait', async () => {
    let asked = 0;
    const { key } = inTracker(api.tracker('bug'));
    gate.holdAnswers((sent) => {
      const isRead = ['find\0', 'aggregate\0'].some((command) => sent.includes(command));
      const isPage = isRead && sent.includes('artifacts.r') && sent.includes(`${key}\u0001`);
      if (isPage) asked += 1;
      return isPage;
    });
    const headers = await api.signIn('alice');
    // Who asks for the same page waits for the first one who did.
    const pages = Array.from({ length: 3 * CONNECTIONS }, (_, offset) =>
      api.get(`/trackers/${api.tracker('bug')}/artifacts?offset=${offset}`, { headers }),
    );
    await eventually('pages are asked for', () => Promise.resolve(asked > 0));
    const began = performance.now();
    const followed = await api.signIn('bob');
    expect(followed).to.have.property('X-Auth-Token').that.is.a('string');
    expect((await api.get(`/artifacts/${id}`, { headers })).status).to.equal(200);
    expect((await api.get(`/artifacts/${await submitted()}`, { headers })).status).to.equal(200);
    // What has become of the tokens of a user is followed, too.
    const out = await api.request('DELETE', '/tokens', { headers: followed });
    expect(out.status).to.equal(200);
    expect((await api.get('/users/self', { headers: followed })).status).to.equal(500);
    expect(performance.now() - began).to.be.lessThan(SOON_MS);

    const refused = await Promise.race(pages);
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('Retry-After')).to.equal('2');
    expect(refused.body).to.have.nested.property('error.message').that.includes('Too many pages');
    await gate.open();
    await Promise.all(pages);
    expect((await api.get(`/trackers/${api.tracker('bug')}/artifacts`, { headers })).status).to.equal(200);
  });
});
