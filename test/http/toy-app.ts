import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { type Server } from 'node:http';
import { accessKeyVerifier } from '../../src/authentication/access-keys/verify-access-key.js';
import { authentication } from '../../src/authentication/authenticate.js';
import { type Viewer } from '../../src/authorization/viewer.js';
import { createApp } from '../../src/http/app.js';
import { cursors } from '../../src/http/pages/cursors.js';
import { type Clock } from '../../src/core/clock.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { jsonServer } from '../../src/http/server/server.js';
import { type Readiness } from '../../src/http/health.js';
import { type Route } from '../../src/http/route.js';
import { createLogger } from '../../src/logging/logger.js';
import { memoryCounters } from '../../src/stores/memory/counters.js';
import { tokens, type Tokens } from '../../src/authentication/tokens/token.js';
import { credentials, type Credentials } from '../../src/authentication/credentials.js';
import { signInThrottle } from '../../src/authentication/sign-in-throttle.js';
import { passwords } from '../../src/authentication/password.js';
import { unshownChanges } from '../../src/users/unshown-changes.js';
import { type UserView } from '../../src/users/user-view.js';

export const SECRET = 'a secret of thirty-two bytes or more';
export const PASSWORD = 'correct horse';

const hashing = passwords();
const passwordHash = await hashing.hash(PASSWORD);

export function user(id: number, username: string, changes: Partial<UserView> = {}): UserView {
  return {
    id,
    username,
    realName: username,
    email: `${username}@example.org`,
    passwordHash,
    siteAdmin: false,
    status: 'active',
    tokensValidFrom: 0,
    revokedTokens: [],
    accessKeys: [],
    revision: 0,
    ...changes,
  };
}

export interface World {
  users: UserView[];
  anonymousAccess: boolean;
  now: Date;
  followsLog: boolean;
  readiness: Readiness;
}

export function world(): World {
  return {
    users: [user(115, 'bob'), user(116, 'ann'), user(117, 'sue', { status: 'suspended' })],
    anonymousAccess: true,
    now: new Date('2026-03-01T10:00:00.500Z'),
    followsLog: true,
    readiness: { started: true, ready: true, details: {} },
  };
}

/** The definitions that the world holds at that moment. */
export function definitionsOf(held: World): Definitions {
  return {
    user: (id) => held.users.find((each) => each.id === id),
    currentUser: (id) => held.users.find((each) => each.id === id),
    userNamed: (username) => held.users.find((each) => each.username === username),
    userWithAccessKey: (id) => held.users.find((each) => each.accessKeys.some((key) => key.id === id)),
    users: () => held.users,
    project: () => undefined,
    projectNamed: () => undefined,
    projectOfGroup: () => undefined,
    projects: () => [],
    tracker: () => undefined,
    trackerOfField: () => undefined,
    trackerOfReport: () => undefined,
    trackersOf: () => [],
    openValues: () => [],
    platform: () => ({
      anonymousAccess: held.anonymousAccess,
      artifactDeletionLimit: 5,
      archiveDeletedArtifacts: false,
      linkTypes: [],
      revision: 0,
    }),
    generation: '0',
  };
}

export interface Toy {
  readonly url: string;
  readonly world: World;
  readonly tokens: Tokens;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly lines: () => readonly Record<string, unknown>[];
  readonly text: () => string;
  /** What the server says to these bytes, until it closes or is silent after a whole answer. */
  readonly raw: (request: string | Uint8Array) => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface ToyOptions {
  readonly routes?: (toy: Pick<Toy, 'tokens' | 'credentials' | 'clock' | 'definitions'>) => readonly Route<Viewer>[];
  readonly invalidCredentialsStatus?: 500 | 401;
  readonly trustedProxies?: readonly string[];
  readonly publicUrl?: string;
  readonly secrets?: readonly string[];
}

/** The application over real HTTP, with toy routes and a world in memory. */
export async function toyApp(options: ToyOptions = {}): Promise<Toy> {
  const held = world();
  const clock: Clock = () => held.now;
  const definitions = definitionsOf(held);
  const parts = {
    clock,
    definitions,
    followsUsers: () => held.followsLog,
    unshown: unshownChanges(),
    tokens: tokens({ secrets: options.secrets ?? [SECRET], definitions, clock }),
    accessKeys: accessKeyVerifier({ definitions, clock, used: () => undefined }),
    credentials: credentials({
      definitions,
      clock,
      passwords: hashing,
      signInThrottle: signInThrottle(memoryCounters(clock), clock),
    }),
  };
  let written = '';
  const logger = createLogger('info', { write: (line) => void (written += line) });
  const app = createApp({
    authenticate: authentication(parts),
    routes: options.routes?.(parts) ?? [],
    cursors: cursors([SECRET]),
    logger,
    readiness: () => held.readiness,
    config: {
      trustedProxies: options.trustedProxies ?? [],
      publicUrl: options.publicUrl,
      invalidCredentialsStatus: options.invalidCredentialsStatus ?? 500,
    },
  });
  const server = jsonServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    ...parts,
    url: `http://127.0.0.1:${port}`,
    world: held,
    lines: () =>
      written
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    text: () => written,
    raw: (request) => rawAnswer(port, request),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export const basic = (username: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

export const withToken = (token: string, userId: string): Record<string, string> => ({
  'X-Auth-Token': token,
  'X-Auth-UserId': userId,
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function rawAnswer(port: number, request: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    if (isWhole(answer)) socket.end();
  });
  socket.on('error', () => socket.destroy());
  socket.write(request);
  await once(socket, 'close');
  return answer;
}

function isWhole(answer: string): boolean {
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length !== undefined && rest.join('\r\n\r\n').length >= Number(length);
}
