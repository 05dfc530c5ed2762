import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../e2e/servers/eventually.js';
import { needsProgram } from '../support/needs-program.js';
import { textOf } from './compose-files.js';
import { answerTo, runningProxy, type Change, type RunningProxy } from './running-proxy.js';
import { vanishedServer } from './vanished-server.js';

const GET = 'GET /api/projects HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const PUT = 'PUT /api/artifacts/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';

/** In the place of those that the name server of the network would tell, in every backend. */
function servers(...ports: readonly number[]): readonly Change[] {
  const lines = ports.map((port) => `  server api-${port} 127.0.0.1:${port} check inter 100ms`).join('\n');
  const templates = textOf('deploy/haproxy.cfg').matchAll(/^ *server-template .*$/gm);
  return Array.from(templates, ([template]) => [template, lines]);
}

needsProgram('haproxy', 'what the proxy answers by itself', () => {
  describe('what the proxy answers by itself', () => {
    const closing: (() => unknown)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
    });

    const started = async (...changes: readonly Change[]): Promise<RunningProxy> => {
      const proxy = await runningProxy(...changes);
      closing.push(proxy.stop);
      return proxy;
    };

    /** One that is ready, and then answers like this. */
    const behind = async (answer: RequestListener): Promise<readonly Change[]> => servers(await listening(answer));

    const listening = async (answer: RequestListener, isReady = () => true): Promise<number> => {
      const server: Server = createServer((request, response) => {
        if (request.url === '/health/ready') response.writeHead(isReady() ? 200 : 503).end();
        else if (request.url === '/health/live') response.end();
        else answer(request, response);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      closing.push(() => {
        server.closeAllConnections();
        server.close();
      });
      return (server.address() as AddressInfo).port;
    };

    const expectError = (answer: string, status: number, message: string) => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head.split('\r\n')[0]).to.match(new RegExp(`^HTTP/1.[01] ${status} `));
      expect(head).to.match(/^content-type: application\/json; charset=utf-8$/im);
      expect(head).to.match(/^access-control-allow-origin: \*$/im);
      expect(JSON.parse(body)).to.deep.equal({ error: { code: status, message } });
      return head;
    };

    it('is 503 in the form of the API, with Retry-After, while no api is there', async () => {
      const proxy = await started();
      for (const request of [GET, PUT]) {
        const message = 'Service Unavailable: no process of the service is ready';
        expect(expectError(await answerTo(proxy, request), 503, message)).to.match(/^retry-after: 2$/im);
      }
    });

    it('is 502 without Retry-After for a change amid which the connection broke: it may have been made', async () => {
      const proxy = await started(
        ...(await behind((request) => {
          request.socket.destroy();
        })),
      );
      const answer = await answerTo(proxy, PUT);
      expect(expectError(answer, 502, 'Bad Gateway: the connection to the service broke')).not.to.match(/retry-after/i);
    });

    it('is 504 without Retry-After where nothing is answered in time', async () => {
      const silent = await behind(() => undefined);
      const proxy = await started(...silent, ['timeout server 90s', 'timeout server 300ms']);
      const message = 'Gateway Timeout: the service did not answer in time';
      expect(expectError(await answerTo(proxy, PUT), 504, message)).not.to.match(/retry-after/i);
    });

    it('is nothing while a process is ready, which gets all requests; while none is, they go to those that live', async () => {
      const ready = new Set(['one']);
      const named = (name: string) =>
        listening(
          (_, response) => response.end(`answer of ${name}`),
          () => ready.has(name),
        );
      const proxy = await started(...servers(await named('one'), await named('two')));
      const answers = () => Promise.all(Array.from({ length: 20 }, () => answerTo(proxy, GET)));
      const from = async () => new Set((await answers()).map((answer) => /answer of (\w+)/.exec(answer)?.[1]));

      await eventually('the one that is ready', async () => [...(await from())].join() === 'one');
      ready.clear();
      await eventually('both, as none is ready', async () => (await from()).size === 2);
      expect(await from()).to.deep.equal(new Set(['one', 'two']));
      ready.add('two');
      await eventually('the other one', async () => [...(await from())].join() === 'two');
    });

    it('is nothing where a server has vanished: a second later another one gets a request of any method', async () => {
      const vanished = await vanishedServer();
      closing.push(vanished.close);
      const living = await listening((_, response) => response.end('answer of the other'));
      // Until the checks find out.
      const unchecked: Change = [' check inter 100ms', ''];
      const proxy = await started(...servers(vanished.port, living), unchecked);
      for (const request of [GET, PUT]) {
        const began = performance.now();
        const answers = await Promise.all([1, 2, 3, 4].map(() => answerTo(proxy, request)));
        for (const answer of answers) expect(answer).to.match(/answer of the other/);
        expect(performance.now() - began).to.be.within(900, 5000);
      }
    });

    it('leaves alone what the service answers, errors included', async () => {
      const proxy = await started(
        ...(await behind((_, response) => {
          response.writeHead(503, { 'Retry-After': '7' }).end('of the service');
        })),
      );
      const answer = await answerTo(proxy, GET);
      expect(answer)
        .to.match(/^retry-after: 7$/im)
        .and.to.match(/of the service/);
    });
  });
});
