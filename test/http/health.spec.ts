import { expect } from 'chai';
import { toyApp, type Toy } from './toy-app.js';

describe('health', () => {
  let toy: Toy;
  before(async () => {
    toy = await toyApp();
  });
  after(() => toy.close());

  it('is live as long as it answers', async () => {
    toy.world.readiness = { started: false, ready: false, details: {} };
    expect((await fetch(`${toy.url}/health/live`)).status).to.equal(200);
  });

  it('is ready when it says so, and tells what it waits for', async () => {
    toy.world.readiness = { started: false, ready: false, details: { artifacts: 'rebuilding' } };
    const waiting = await fetch(`${toy.url}/health/ready`);
    expect(waiting.status).to.equal(503);
    expect(waiting.headers.get('retry-after')).to.equal('1');
    expect(await waiting.json()).to.deep.equal({
      error: { code: 503, message: 'Service Unavailable: not ready yet' },
      details: { artifacts: 'rebuilding' },
    });
    toy.world.readiness = { started: true, ready: true, details: { artifacts: 'serving' } };
    const ready = await fetch(`${toy.url}/health/ready`);
    expect(ready.status).to.equal(200);
    expect(await ready.json()).to.deep.equal({ status: 'ok', details: { artifacts: 'serving' } });
  });

  it('keeps the API closed until it has started', async () => {
    toy.world.readiness = { started: false, ready: false, details: {} };
    const refused = await fetch(`${toy.url}/api/anything`);
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('1');
    toy.world.readiness = { started: true, ready: true, details: {} };
    expect((await fetch(`${toy.url}/api/anything`)).status).to.equal(404);
  });

  it('is not ready while a part cannot be served, and leaves the API open for the rest', async () => {
    toy.world.readiness = { started: true, ready: false, details: { unserved: ['artifacts'] } };
    expect((await fetch(`${toy.url}/health/ready`)).status).to.equal(503);
    expect((await fetch(`${toy.url}/api/anything`)).status).to.equal(404);
    toy.world.readiness = { started: true, ready: true, details: {} };
  });

  it('is asked outside the API, by reading', async () => {
    expect((await fetch(`${toy.url}/api/health/live`)).status).to.equal(404);
    expect((await fetch(`${toy.url}/health/live`, { method: 'POST' })).status).to.equal(404);
    expect((await fetch(`${toy.url}/health/live`, { method: 'HEAD' })).status).to.equal(200);
  });
});
