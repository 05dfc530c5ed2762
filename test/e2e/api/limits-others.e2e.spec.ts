import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { storedBytes } from '../../../src/core/logs/bounded-log.js';
import { type Event } from '../../../src/core/event-log.js';
import { type Answer } from '../../support/client.js';
import { runService, type RunningService } from '../../support/service.js';
import { userStream, type UserEvent } from '../../../src/users/user-events.js';
import { USERS } from '../../../src/users/user-view.js';
import { exchange } from './exchange.js';
import { itKeepsTheLimits, limitsOf, type Try } from './limits.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const MEMBERS = ['bob', 'carol', 'dave'];

/** More than a request may write. */
const FIELDS = 1001;

const PLATFORM = {
  users: ['alice', 'bob', 'carol', 'dave'].map((username) => ({
    ...{ username, real_name: username, email: `${username}@example.org`, password: `${username}'s password` },
    site_admin: username === 'alice',
  })),
  projects: [
    {
      ...{ shortname: 'p', label: 'P', svn: true, members: MEMBERS },
      trackers: [
        {
          ...{ item_name: 'item', label: 'Items' },
          fields: [{ name: 'line', label: 'Line', type: 'string' }],
        },
        {
          ...{ item_name: 'wide', label: 'Wide' },
          fields: numbered(FIELDS, (n) => ({ name: `f${n}`, label: `f${n}`, type: 'string' })),
        },
      ],
    },
  ],
};

describe('the limits of everything else', () => {
  let api: RunningService;
  let names = 0;

  before(async () => {
    api = await runService({ platform: JSON.stringify(PLATFORM) });
  });

  after(() => api.stop());

  const newName = (): string => `n${(names += 1)}`;
  /** Whatever the size, the same request. */
  const sent = (route: string, send: (size: number) => Promise<Answer>): Try => ({
    route,
    prepare: (size) => () => send(size),
  });

  describe('svn', () => {
    const NOTHING = {
      commit_rules: { is_reference_mandatory: false, is_commit_message_change_allowed: false },
      immutable_tags: { paths: [], whitelist: [] },
      access_file: '',
      email_notifications: [],
    };
    const create = (settings: object, name = newName().padEnd(3, 'x')): Promise<Answer> =>
      api.post('/svn', {
        as: 'alice',
        body: { project_id: api.service.definitions.projectNamed('p')?.id, name, settings },
      });
    const change = (id: number, settings: object): Promise<Answer> =>
      api.put(`/svn/${id}`, { as: 'alice', body: { settings: { ...NOTHING, ...settings } } });
    const both = (settings: (size: number) => object): readonly Try[] => [
      sent('POST', (size) => create(settings(size))),
      {
        route: 'PUT',
        prepare: async (size) => {
          const { body } = await create({});
          return () => change(body.id, settings(size));
        },
      },
    ];
    const path = (size: number): string => `/${'a'.repeat(size - 1)}`;
    const notified = (place: string, more: object = {}) => ({
      ...{ path: place, emails: ['a@example.org'], users: [], user_groups: [] },
      ...more,
    });
    /** A comment of many lines, and so many paths that are told of that it may be of any length. */
    const filled = (length: number) => ({
      access_file: `#${'a'.repeat(length - 1)}`,
      email_notifications: numbered(190, (n) => notified(path(3900 + n))),
    });
    const PROBE = 100_000;
    const overhead = async (stream: `${string}-${string}`): Promise<number> => {
      const [last] = (await api.service.log.read<Event>(stream)).events.slice(-1);
      return last === undefined ? 0 : storedBytes([last], last.metadata) - PROBE;
    };
    const settings: readonly Try[] = [
      {
        route: 'PUT',
        prepare: async (size) => {
          const { body } = await create({});
          await change(body.id, filled(PROBE));
          const room = size - (await overhead(`svn-${body.id}`));
          return () => change(body.id, filled(room));
        },
      },
    ];

    itKeepsTheLimits(
      'Subversion',
      () => api,
      () => ({
        'Repository name': [sent('POST', (size) => create({}, newName().padEnd(3, 'x').padEnd(size, 'y')))],
        'Access file': both((size) => ({ access_file: `#${'a'.repeat(size - 1)}` })),
        'Immutable tags': ['paths', 'whitelist'].flatMap((list) =>
          both((size) => {
            const paths = [...numbered(16, () => path(4000)), path(size - 16 * 4001)];
            return { immutable_tags: { paths: [], whitelist: [], [list]: paths } };
          }),
        ),
        Path: both((size) => ({ email_notifications: [notified(path(size))] })),
        Notifications: both((size) => ({ email_notifications: numbered(size, (n) => notified(`/${n}`)) })),
        Recipients: both((size) => ({
          email_notifications: [notified('/', { emails: numbered(size, (n) => `a${n}@example.org`) })],
        })),
        Settings: settings,
      }),
    );

    it('let a new repository be no larger, and leave its name free', async () => {
      const { bound } = limitsOf('Subversion').find(({ name }) => name === 'Settings') ?? { bound: 0 };
      const { status } = await create(filled(bound - 190 * 4000), 'taken');
      expect(status).to.equal(413);
      expect((await create({}, 'taken')).status).to.equal(201);
    });
  });

  describe('users', () => {
    const planted = async (username: string, events: readonly UserEvent[]): Promise<void> => {
      const { log, readModels } = api.service;
      const stream = userStream(api.user(username));
      const { revision } = await log.read(stream);
      const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
      const identified = events.map((event) => ({ ...event, id: randomUUID() }));
      const { position } = await log.append(stream, revision, identified, metadata);
      expect(await readModels.caughtUp(USERS, position, 60_000)).to.equal(true);
    };
    const key = (body: object, as = 'bob'): Promise<Answer> => api.post('/access_keys', { as, body });
    const keys: Try = {
      route: 'POST',
      prepare: async (size) => {
        const userId = api.user('bob');
        const held = api.service.definitions.user(userId)?.accessKeys.length ?? 0;
        const made = { secretHash: '0'.repeat(64), description: '', expiresAt: null, at: new Date().toISOString() };
        const events = numbered(size - 1 - held, (n): UserEvent => {
          return { type: 'AccessKeyCreated', data: { userId, accessKeyId: 900_000 + n, ...made } };
        });
        if (events.length > 0) await planted('bob', events);
        return () => key({});
      },
    };
    const replaceMembers = (body: readonly object[]): Promise<Answer> =>
      api.put(`/user_groups/${api.service.definitions.projectNamed('p')?.id}_3/users`, { as: 'alice', body });
    const [refusing, [signOuts]] = [
      limitsOf('Users').filter(({ status }) => status >= 400),
      limitsOf('Users').filter(({ status }) => status < 400),
    ];

    itKeepsTheLimits(
      'Users',
      () => api,
      () => ({
        'Key description': [sent('POST', (size) => key({ description: 'x'.repeat(size) }, 'alice'))],
        'Access keys': [keys],
        Members: [sent('PUT', (size) => replaceMembers(numbered(size, (n) => ({ username: MEMBERS[n % 3] }))))],
      }),
      refusing,
    );

    it('let a user sign out tokens one by one, and end all with one more than are remembered', async () => {
      expect(signOuts?.name).to.equal('Sign-outs');
      const fresh = async (): Promise<{ readonly 'X-Auth-Token': string; readonly 'X-Auth-UserId': string }> => {
        const { body } = await api.post('/tokens', { body: { username: 'dave', password: "dave's password" } });
        return { 'X-Auth-Token': body.token, 'X-Auth-UserId': body.user_id };
      };
      const [first, second, third] = [await fresh(), await fresh(), await fresh()];
      const isAlive = async (headers: Readonly<Record<string, string>>): Promise<boolean> =>
        (await api.get('/users/self', { headers })).status === 200;
      const signOut = (token: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
        api.request('DELETE', `/tokens/${token}`, { headers });
      const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
      const userId = api.user('dave');
      const events = numbered((signOuts?.bound ?? 0) - 1, (n): UserEvent => {
        return { type: 'TokenRevoked', data: { userId, tokenId: `planted ${n}`, expiresAt } };
      });
      await planted('dave', events);

      expect((await signOut(first['X-Auth-Token'], second)).status).to.equal(signOuts?.status);
      expect([await isAlive(first), await isAlive(second), await isAlive(third)]).to.deep.equal([false, true, true]);
      expect((await signOut(second['X-Auth-Token'], second)).status).to.equal(signOuts?.status);
      expect([await isAlive(first), await isAlive(second), await isAlive(third)]).to.deep.equal([false, false, false]);
      expect(await isAlive(await fresh())).to.equal(true);
      expect(api.service.definitions.user(userId)?.revokedTokens).to.deep.equal([]);
    });
  });

  describe('requests', () => {
    const item = (more: object = {}) => ({ tracker: { id: api.tracker('item') }, ...more });
    const element = (value: string) => ({ field_id: api.field('item', 'line'), value });
    const padded = (body: object, size: number): string => JSON.stringify(body).padEnd(size, ' ');
    const create = (body: unknown, headers = {}): Promise<Answer> =>
      api.post('/artifacts', { as: 'alice', body, headers });
    const made = async (): Promise<number> => (await create(item({ values: [element('a')] }))).body.id;
    const change = (body: (size: number) => unknown): Try => ({
      route: 'PUT',
      prepare: async (size) => {
        const id = await made();
        return () => api.put(`/artifacts/${id}`, { as: 'alice', body: body(size) });
      },
    });
    /** `fetch` sends no body with GET. */
    const filtered = async (body: object): Promise<Answer> => {
      const url = `${api.url}/api/trackers/${api.tracker('item')}/artifacts`;
      const { status, body: answered } = await exchange('GET', url, { body });
      return { status, headers: new Headers(), body: answered };
    };
    const byField = (size: number) => ({
      tracker: { id: api.tracker('wide') },
      values_by_field: Object.fromEntries(numbered(size, (n) => [`f${n}`, { value: 'b' }])),
    });
    const elements = (size: number) => ({ values: numbered(size, () => element('b')) });

    itKeepsTheLimits(
      'Requests',
      () => api,
      () => ({
        Body: [
          sent('POST artifacts', (size) => create(padded(item({ values: [element('a')] }), size))),
          change((size) => padded({ values: [element('b')] }, size)),
          sent('POST access_keys', (size) => api.post('/access_keys', { as: 'alice', body: padded({}, size) })),
        ],
        'Body with a chunk': [
          sent('POST', (size) => {
            const file = { name: 'a', mimetype: 'text/plain', content: 'YQ==' };
            return api.post('/artifact_temporary_files', { as: 'alice', body: padded(file, size) });
          }),
        ],
        Elements: [
          sent('POST', (size) => create(item(elements(size)))),
          sent('POST by field', (size) => create(byField(size))),
          change(elements),
        ],
        'Filter text': [
          sent('GET', (size) => {
            const line = 'x'.repeat(size);
            return filtered({ line });
          }),
        ],
        'Idempotency-Key': [
          sent('POST', (size) => create(item({ values: [element('a')] }), { 'Idempotency-Key': 'k'.repeat(size) })),
        ],
      }),
    );
  });
});
