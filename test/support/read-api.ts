/** The application over a directory that never changes: for the routes that read nothing else. */
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { accessKeys } from '../../src/access-keys/access-keys.js';
import { createApp } from '../../src/app.js';
import { type Directory } from '../../src/directory/directory.js';
import { type Route } from '../../src/http/route.js';
import { jsonServer } from '../../src/http/server.js';
import { log } from '../../src/log.js';
import { memoryCounters } from '../../src/stores/memory-counters.js';
import { tokens } from '../../src/tokens/token.js';
import { credentials } from '../../src/users/credentials.js';
import { failedSignIns } from '../../src/users/failed-sign-ins.js';
import { passwords } from '../../src/users/password.js';
import { type UserView } from '../../src/users/user-view.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed. */
  readonly body: unknown;
}

export interface ReadApi {
  /** Below /api; anonymous without a user. */
  readonly get: (path: string, user?: UserView) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export async function readApi(directory: Directory, routes: readonly Route[]): Promise<ReadApi> {
  const clock = () => new Date('2026-03-01T10:00:00Z');
  const issuing = tokens({ secrets: ['a secret of thirty-two bytes or more'], directory, clock });
  const app = createApp({
    directory,
    routes,
    accessKeys: accessKeys({ directory, clock, used: () => undefined }),
    tokens: issuing,
    credentials: credentials({
      directory,
      clock,
      passwords: passwords(),
      failedSignIns: failedSignIns(memoryCounters(clock), clock),
    }),
    logger: log('silent'),
    readiness: () => ({ ready: true, details: {} }),
    config: { trustedProxies: [], publicUrl: undefined, invalidCredentialsStatus: 500 },
  });
  const handler = app.callback();
  const server = jsonServer((request, response) => void handler(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    get: async (path, user) => {
      const headers = new Headers(user && { 'X-Auth-Token': issuing.issue(user), 'X-Auth-UserId': String(user.id) });
      const response = await fetch(`http://127.0.0.1:${port}/api${path}`, { headers });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** One page: its items' member `name`, and the four headers. */
export function pageOf({ body, headers }: Answer, name: string) {
  const items: readonly unknown[] = Array.isArray(body) ? body : [];
  return {
    items: items.map((item) => memberOf(item, name)),
    headers: ['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX'].map((part) => Number(headers.get(`X-PAGINATION-${part}`))),
  };
}

function memberOf(item: unknown, name: string): unknown {
  if (typeof item !== 'object' || item === null) return undefined;
  return new Map<string, unknown>(Object.entries(item)).get(name);
}
