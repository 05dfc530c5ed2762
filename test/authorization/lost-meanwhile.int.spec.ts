import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type EventLog, type StreamName } from '../../src/core/event-log.js';
import { serve, type Listening } from '../../src/composition/http-server.js';
import { client, type Answer, type Client, type RequestOptions } from '../support/client.js';
import { runService, type RunningService } from '../support/service.js';

const user = (username: string, more = {}) => ({
  username,
  real_name: username,
  email: `${username}@example.org`,
  password: `${username}'s password`,
  status: 'active',
  ...more,
});

const ALL = ['all_users'];
const platform = () => ({
  users: [user('root', { site_admin: true }), user('pam')],
  projects: [
    {
      shortname: 'p',
      label: 'P',
      access: 'public',
      svn: true,
      admins: ['root', 'pam'],
      members: ['root'],
      user_groups: [{ short_name: 'devs', label: 'Devs', members: [] }],
      trackers: [
        {
          item_name: 'bug',
          label: 'Bugs',
          permissions: { access: ALL, submit: ALL, update: ALL },
          fields: [
            { name: 'title', label: 'Title', type: 'string' },
            { name: 'att', label: 'Files', type: 'file', permissions: { read: ALL, submit: ALL, update: ALL } },
          ],
        },
      ],
    },
  ],
});
type Platform = ReturnType<typeof platform>;

type Narrow = (wanted: Platform) => unknown;

const suspended: Narrow = ({ users }: Platform) => (users[1]!.status = 'suspended');
const noAdmin: Narrow = ({ projects }: Platform) => (projects[0]!.admins = ['root']);
const outside: Narrow = ({ projects }: Platform) =>
  Object.assign(projects[0]!, { admins: ['root'], access: 'private' });
const noField: Narrow = ({ projects }: Platform) =>
  (projects[0]!.trackers[0]!.fields[1]!.permissions = { read: ['project_admins'], submit: [], update: [] });
const readOnlyField: Narrow = ({ projects }: Platform) =>
  (projects[0]!.trackers[0]!.fields[1]!.permissions = { read: ALL, submit: [], update: [] });

describe('A user who loses a right while a write waits', () => {
  let api: RunningService;
  let listening: Listening;
  let writer: Client;
  /** Comes once: before the next reading, or after the append to such a stream. */
  let narrow: { readonly afterAppendTo?: RegExp; readonly change: () => Promise<unknown> } | undefined;
  let appended: StreamName[] = [];

  const happened = async (appendedTo?: StreamName): Promise<void> => {
    if (narrow?.afterAppendTo?.test(appendedTo ?? '') === false) return;
    const change = narrow?.change;
    narrow = undefined;
    await change?.();
  };
  const applied = (change: Narrow = () => undefined) => {
    const wanted = platform();
    change(wanted);
    return api.operate('apply', { text: JSON.stringify(wanted), prune: false, env: {} });
  };

  before(async () => {
    api = await runService({ platform: JSON.stringify(platform()) });
    const { log } = api.service;
    const read: EventLog['read'] = async (stream, part) => {
      await happened();
      return log.read(stream, part);
    };
    const append: EventLog['append'] = async (stream, ...given) => {
      const stored = await log.append(stream, ...given);
      appended.push(stream);
      await happened(stream);
      return stored;
    };
    const service = {
      ...api.service,
      log: { ...log, read, append },
      idsOf: (kind: string) => {
        const ids = api.service.idsOf(kind);
        const next = async () => {
          await happened();
          return ids.next();
        };
        return { ...ids, next };
      },
    };
    listening = await serve({ ...api.serving, service });
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });
  beforeEach(async () => {
    await applied();
    // A suspension has ended the tokens of the one before.
    writer = client(`http://127.0.0.1:${listening.port}`);
    await writer.signIn('pam');
  });

  type Send = (more?: RequestOptions) => Promise<Answer>;
  type Prepared = () => Promise<Send> | Send;
  const upload = { name: 'a', mimetype: 'text/plain', content: 'QUJD' };
  const announcement = { name: 'a', file_size: 3, file_type: 'text/plain' };
  const project = () => api.service.definitions.projectNamed('p')!;
  const as = 'pam';
  const WRITES: Readonly<Record<string, { readonly of: Prepared; readonly lost: readonly Narrow[] }>> = {
    'POST /access_keys': { of: () => () => writer.post('/access_keys', { as, body: {} }), lost: [suspended] },
    'DELETE /access_keys/{id}': {
      of: async () => {
        const { headers } = await writer.post('/access_keys', { as, body: {} });
        const path = headers.get('location')!.replace(/.*\/api/, '');
        return () => writer.request('DELETE', path, { as });
      },
      lost: [suspended],
    },
    'DELETE /tokens': { of: () => () => writer.request('DELETE', '/tokens', { as }), lost: [suspended] },
    'POST /artifact_temporary_files': {
      of: () => () => writer.post('/artifact_temporary_files', { as, body: upload }),
      lost: [suspended],
    },
    'PUT /artifact_temporary_files/{id}': {
      of: async () => {
        const { body } = await writer.post('/artifact_temporary_files', { as, body: upload });
        const chunk = { content: 'QUJD', offset: 2 };
        return () => writer.put(`/artifact_temporary_files/${body.id}`, { as, body: chunk });
      },
      lost: [suspended],
    },
    'POST /tracker_fields/{id}/files': {
      of: () => () => writer.post(`/tracker_fields/${api.field('bug', 'att')}/files`, { as, body: announcement }),
      lost: [suspended, outside, readOnlyField, noField],
    },
    'PUT /user_groups/{id}/users': {
      of: () => () =>
        writer.put(`/user_groups/${project().groups[0]!.id}/users`, {
          as,
          body: { user_references: [{ username: 'pam' }] },
        }),
      lost: [suspended, noAdmin],
    },
    'POST /svn': {
      of: () => () => writer.post('/svn', { as, body: { project_id: project().id, name: 'repo01' } }),
      lost: [suspended, noAdmin, outside],
    },
    'DELETE /svn/{id}': {
      of: async () => {
        const body = { project_id: project().id, name: `repo-${randomUUID()}` };
        const { id } = (await writer.post('/svn', { as, body })).body;
        return () => writer.request('DELETE', `/svn/${id}`, { as });
      },
      lost: [suspended, noAdmin, outside],
    },
  };

  for (const [path, { of, lost }] of Object.entries(WRITES)) {
    for (const change of lost) {
      it(`writes nothing by ${path}, and is answered as a new request is (${change.name})`, async () => {
        const send = await of();
        appended = [];
        narrow = { change: () => applied(change) };
        const { status, body } = await send();
        expect(narrow).to.equal(undefined);
        expect(appended).to.deep.equal([]);
        expect(status).to.be.within(400, 404);
        const again = await send();
        expect({ status, error: body.error }).to.deep.equal({ status: again.status, error: again.body.error });
      });
    }
  }

  const COMPLETED = [
    ['POST /svn', 'the name is reserved', 201, /^name-svn\./, /^svn-/],
    ['DELETE /svn/{id}', 'the repository is deleted', 202, /^svn-/, /^name-svn\./],
  ] as const;
  for (const [path, step, completed, first, last] of COMPLETED) {
    it(`is suspended once ${step}, and ${path} is completed`, async () => {
      const send = await WRITES[path]!.of();
      appended = [];
      narrow = { afterAppendTo: first, change: () => applied(suspended) };
      const { status, body } = await send();
      expect(narrow).to.equal(undefined);
      expect(status, JSON.stringify(body)).to.equal(completed);
      expect(appended).to.have.length(2);
      expect(appended[0]).to.match(first);
      expect(appended[1]).to.match(last);
    });
  }
});
