import { expect } from 'chai';
import { USERS } from '../../../src/users/user-view.js';
import { all } from '../../../projections/all.js';
import { type Position } from '../../../src/core/event-log.js';
import { mountedOf } from '../../../src/composition/http-server.js';
import { eventually } from '../servers/eventually.js';
import { runService, type RunningService } from '../../support/service.js';
import { servedWithout, type Door } from './served-without.js';
import { type Expected } from './unserved-expected.js';
import { EXPECTED } from './unserved-requests.js';
import { stocked, UNSERVED_PLATFORM, type Stock } from './unserved-stock.js';

/** Only the recovery reads them. */
const OF_NO_ROUTE = ['pending-deletions', 'pending-links', 'pending-names'];

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** Wherever it was sent. */
  readonly text: string;
}

describe('while a projection has never served, each route', () => {
  let api: RunningService;

  before(async () => {
    api = await runService({ platform: UNSERVED_PLATFORM });
    // On servers the status that a worker stores comes behind what it serves, and the front page tells it.
    await eventually('every projection told as live', async () => {
      const statuses = await api.service.projections.status();
      return statuses.every(({ state }) => state === 'live');
    });
  });
  after(() => api.stop());

  const credentialsOf = async (as: Expected['as'], { tokens: [token = ''] }: Stock) => {
    if (as === 'bob') return { 'X-Auth-Token': token, 'X-Auth-UserId': String(api.user('bob')) };
    return as === null ? {} : api.signIn(as);
  };

  const send = async (url: string, { route, as, sent }: Expected, stock: Stock): Promise<Answered> => {
    const [method = ''] = route.split(' ');
    const { path, body, headers = {} } = sent(stock);
    const type = typeof body === 'object' ? { 'Content-Type': 'application/json' } : {};
    const bytes = typeof body === 'object' ? JSON.stringify(body) : body;
    const who = await credentialsOf(as, stock);
    const given = { method, headers: { ...type, ...who, ...headers } };
    const answer = await fetch(`${url}${path}`, { ...given, ...(bytes !== undefined && { body: bytes }) });
    const { status, headers: told } = answer;
    // How far the read models are behind the log differs from one moment to the next.
    const text = (await answer.text()).replaceAll(url, '').replaceAll(/"reflected":[\d.]+/g, '"reflected":1');
    return { status, headers: told, text };
  };

  /** Ids are reserved ahead, and may stay unused. */
  const writtenAfter = async (end: Position | null): Promise<readonly string[]> => {
    const written: string[] = [];
    for await (const { events } of api.service.log.readAll(end, ['IdsReserved'])) {
      written.push(...events.map(({ type }) => type));
    }
    return written;
  };

  const refused = async (door: Door, request: Expected, stock: Stock): Promise<void> => {
    const end = await api.service.log.end();
    const { status, headers, text } = await send(door.url, request, stock);
    expect(status, `${request.title}: ${text}`).to.equal(503);
    expect(Number(headers.get('retry-after')), request.title).to.be.greaterThan(0);
    expect(await writtenAfter(end), request.title).to.deep.equal([]);
  };

  /** As where everything is served. */
  const answered = async (door: Door, request: Expected, stock: Stock): Promise<void> => {
    const { status, text } = await send(door.url, request, stock);
    expect(status, `${request.title}: ${text}`).to.equal(request.status);
    if (!request.route.startsWith('GET')) return;
    expect(text, request.title).to.equal((await send(api.url, request, stock)).text);
  };

  it('that is mounted has a request here, and each projection one that needs it, or none but the recovery', () => {
    const { routes, bareRoutes } = mountedOf(api.serving);
    const bare = bareRoutes.flatMap(({ path, methods }) => Object.keys(methods).map((method) => `${method} ${path}`));
    const mounted = [...routes.map(({ method, path }) => `${method} ${path}`), ...bare];
    expect([...new Set(EXPECTED.map(({ route }) => route))]).to.have.members(mounted);
    const needed = new Set(EXPECTED.flatMap(({ needs }) => needs));
    expect([...needed, ...OF_NO_ROUTE]).to.have.members(all.map(({ name }) => name));
  });

  for (const [n, { name }] of all.entries()) {
    it(`that needs ${name} answers 503 and writes nothing, and each other one answers as usual`, async () => {
      const stock = await stocked(api, n);
      const door = await servedWithout(name, api);
      try {
        for (const request of EXPECTED) {
          await (request.needs.includes(name) ? refused : answered)(door, request, stock);
        }
        const ready = await fetch(`${door.url}/health/ready`);
        expect(ready.status).to.equal(503);
        expect(Number(ready.headers.get('retry-after'))).to.be.greaterThan(0);
        expect(await ready.json()).not.to.have.property('details');
        const toAdministrators = await fetch(`${door.url}/health/ready`, { headers: await api.signIn('root') });
        // Without users nobody can prove to be one.
        const details = name === USERS ? undefined : { unserved: [name] };
        expect(((await toAdministrators.json()) as { details?: object }).details).to.deep.equal(details);
        expect((await fetch(`${door.url}/health/live`)).status).to.equal(200);
      } finally {
        await door.close();
      }
    });
  }
});
