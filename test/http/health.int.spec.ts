import { expect } from 'chai';
import { basic, PASSWORD, toyApp, user, type Toy } from './toy-app.js';

describe('health', () => {
  let toy: Toy;
  before(async () => {
    toy = await toyApp();
  });
  after(() => toy.close());

  it('keeps the API closed until it has started', async () => {
    toy.world.readiness = { started: false, ready: false, details: {} };
    const refused = await fetch(`${toy.url}/api/anything`);
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('1');
    toy.world.readiness = { started: true, ready: true, details: {} };
    expect((await fetch(`${toy.url}/api/anything`)).status).to.equal(404);
    // What it cannot serve later, it refuses one by one.
    toy.world.readiness = { started: false, ready: false, details: {} };
    expect((await fetch(`${toy.url}/api/anything`)).status).to.equal(404);
  });

  it('is live as long as it answers', async () => {
    toy.world.readiness = { started: false, ready: false, details: {} };
    expect((await fetch(`${toy.url}/health/live`)).status).to.equal(200);
  });

  const ready = (headers: Readonly<Record<string, string>> = {}) => fetch(`${toy.url}/health/ready`, { headers });

  it('is ready when it says so', async () => {
    toy.world.readiness = { started: false, ready: false, details: { artifacts: 'rebuilding' } };
    const waiting = await ready();
    expect(waiting.status).to.equal(503);
    expect(waiting.headers.get('retry-after')).to.equal('1');
    expect(await waiting.json()).to.deep.equal({ error: { code: 503, message: 'Service Unavailable: not ready yet' } });
    toy.world.readiness = { started: true, ready: true, details: { artifacts: 'serving' } };
    expect((await ready()).status).to.equal(200);
    expect(await (await ready()).json()).to.deep.equal({ status: 'ok' });
  });

  it('shows what it waits for to site administrators only', async () => {
    toy.world.users.push(
      user(118, 'adm', { siteAdmin: true }),
      user(119, 'off', { siteAdmin: true, status: 'suspended' }),
    );
    for (const [isReady, status] of [
      [true, 200],
      [false, 503],
    ] as const) {
      toy.world.readiness = { started: true, ready: isReady, details: { stream: 'artifact-7' } };
      const told = await ready(basic('adm', PASSWORD));
      expect([told.status, await told.json()]).to.have.deep.nested.property('[1].details', { stream: 'artifact-7' });
      expect(told.status).to.equal(status);
      for (const headers of [{}, basic('bob', PASSWORD), basic('off', PASSWORD), basic('adm', 'wrong')]) {
        const untold = await ready(headers);
        expect(untold.status).to.equal(status);
        expect(await untold.text()).not.to.include('artifact-7');
      }
    }
  });

  it('is not in the log, where other requests are', async () => {
    await ready();
    await fetch(`${toy.url}/api/anything`);
    const paths = toy.lines().map(({ path }) => path);
    expect(paths).to.include('/api/anything');
    expect(paths.filter((path) => String(path).startsWith('/health'))).to.deep.equal([]);
  });

  it('is not ready while a part cannot be served, and leaves the API open for the rest', async () => {
    toy.world.readiness = { started: true, ready: false, details: { unserved: ['artifacts'] } };
    expect((await fetch(`${toy.url}/health/ready`)).status).to.equal(503);
    expect((await fetch(`${toy.url}/api/anything`)).status).to.equal(404);
    toy.world.readiness = { started: true, ready: true, details: {} };
  });

  it('is asked outside the API, by reading', async () => {
    expect((await fetch(`${toy.url}/api/health/live`)).status).to.equal(404);
    for (const path of ['/health/live/', '/health/ready/']) expect((await fetch(toy.url + path)).status).to.equal(200);
    for (const path of ['/health', '/health/lively', '/health/live//x', '/x/health/live']) {
      expect((await fetch(toy.url + path)).status, path).to.equal(404);
    }
    expect((await fetch(`${toy.url}/health/live`, { method: 'POST' })).status).to.equal(405);
    expect((await fetch(`${toy.url}/health/live`, { method: 'HEAD' })).status).to.equal(200);
  });
});
