import { expect } from 'chai';
import { readinessOf } from '../../../src/composition/readiness.js';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { type TcpProxy } from '../../support/tcp-proxy.js';
import { away, back, onBadConnections, type BadConnections } from './bad-connections.js';
import { eventually } from './eventually.js';

/** Not ready after so long, on a machine that has other things to do. */
const BOUND_MS = 15_000;
const RECOVERY_MS = 20_000;

onBadConnections('A process that is cut off from its stores', (service) => {
  let api: BadConnections;
  let listening: Listening;
  before(async () => {
    api = service();
    listening = await serve({ ...api.serving, readiness: () => readinessOf(api.service, true) });
  });
  after(() => listening.close(1000));

  const statusOf = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${listening.port}${path}`)).status;
  const isReady = async (): Promise<boolean> => (await statusOf('/health/ready')) === 200;
  const becomesReady = () => eventually('ready again', isReady, RECOVERY_MS);
  const storesOutOfReach = (): readonly string[] => api.service.unreachable().map(({ store }) => store);

  const silent = (server: TcpProxy) => {
    server.hang();
    return () => {
      server.goOn();
    };
  };
  const gone = (server: TcpProxy) => {
    away(server);
    return () => {
      back(server);
    };
  };

  for (const [how, cut] of Object.entries({ silent, gone })) {
    for (const [store, server] of [
      ['log', () => api.eventStoreDb],
      ['read models', () => api.mongoDb],
    ] as const) {
      it(`is not ready before long, goes on living, and is ready again by itself: ${store} ${how}`, async () => {
        await becomesReady();
        const restore = cut(server());
        try {
          await eventually('not ready', async () => !(await isReady()), BOUND_MS);
          expect(storesOutOfReach()).to.deep.equal([store]);
          expect(await statusOf('/health/live')).to.equal(200);
          expect(await statusOf('/api/projects'), 'what is held in memory').to.equal(200);
        } finally {
          restore();
        }
        await becomesReady();
        expect(storesOutOfReach()).to.deep.equal([]);
      });
    }
  }
});
