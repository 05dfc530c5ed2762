import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { type ServiceProcess } from '../../support/process.js';
import { processes, started, type Bugs, type Names, type Processes } from './processes.js';

const ROUNDS = 6;
/** A request is there when the process goes on. */
const ARRIVAL_MS = 100;

onStandIn('mongo-java-server', 'users, groups and labels that one process has changed', () => {
  let them: Processes;
  let apis: readonly [ServiceProcess, ServiceProcess];
  let names: Names;
  let bug: Bugs;
  before(async () => {
    them = await processes();
    const begun = await started(them, ['api', 'api', 'worker']);
    ({ names, bug } = begun);
    apis = [begun.services[0], begun.services[1]];
  });
  after(() => them.close());

  /** A writer and another process, each time the other way round. */
  const rounds = async (work: (writer: ServiceProcess, other: ServiceProcess) => Promise<unknown>): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) await work(apis[round % 2]!, apis[(round + 1) % 2]!);
  };
  const self = async (service: ServiceProcess, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await service.get('/users/self', { headers })).status;
  const labelled = (label: string) => ({
    field_id: names.field('tags'),
    value: { bind_value_objects: [{ label }] },
  });

  it('open the other with a new access key, until it is removed', () =>
    rounds(async (writer, other) => {
      const made = await writer.post('/access_keys', { as: 'carol', body: { description: randomUUID() } });
      expect(made.status).to.equal(201);
      const { identifier } = made.body as { identifier: string };
      const [id] = /\d+(?=\.)/.exec(identifier) ?? [];
      const headers = { 'X-Auth-AccessKey': identifier };
      expect(await self(other, headers)).to.equal(200);
      const gone = await writer.request('DELETE', `/access_keys/${id}`, { as: 'carol' });
      expect(gone.status, JSON.stringify(gone.body)).to.equal(200);
      expect([await self(other, headers), await self(writer, headers)]).to.deep.equal([500, 500]);
    }));

  it('close both to a token that was signed out', () =>
    rounds(async (writer, other) => {
      const { body } = await writer.post('/tokens', { body: { username: 'bob', password: "bob's password" } });
      const headers = { 'X-Auth-Token': body.token as string, 'X-Auth-UserId': String(body.user_id) };
      expect(await self(other, headers)).to.equal(200);
      expect((await writer.request('DELETE', `/tokens/${body.token}`, { headers })).status).to.equal(200);
      expect([await self(other, headers), await self(writer, headers)]).to.deep.equal([500, 500]);
    }));

  it('give and take rights at the other', () =>
    rounds(async (writer, other) => {
      const group = `/user_groups/${names.project}_3/users`;
      const members = async (...usernames: readonly string[]): Promise<void> => {
        const body = usernames.map((username) => ({ username }));
        const put = () => writer.put(group, { as: 'alice', body });
        // One of the two finds nothing to do.
        expect((await Promise.race([put(), put()])).status).to.equal(200);
      };
      const seen = async (): Promise<readonly string[]> => {
        const { status, body } = await other.get(group, { as: 'alice' });
        expect(status).to.equal(200);
        return (body as { username: string }[]).map(({ username }) => username).sort();
      };
      await members('bob', 'carol');
      expect(await seen()).to.deep.equal(['alice', 'bob', 'carol']);
      await members('carol');
      expect(await seen()).to.deep.equal(['alice', 'carol']);
    }));

  it('close a process that was paused meanwhile to a token that was signed out', () =>
    rounds(async (writer, other) => {
      const { body } = await writer.post('/tokens', { body: { username: 'bob', password: "bob's password" } });
      const headers = { 'X-Auth-Token': body.token as string, 'X-Auth-UserId': String(body.user_id) };
      expect(await self(other, headers)).to.equal(200);
      other.child.kill('SIGSTOP');
      try {
        expect((await writer.request('DELETE', `/tokens/${body.token}`, { headers })).status).to.equal(200);
        const asked = self(other, headers);
        await sleep(ARRIVAL_MS);
        other.child.kill('SIGCONT');
        expect(await asked).to.equal(500);
      } finally {
        other.child.kill('SIGCONT');
      }
    }));

  it('are found, listed and taken as labels by the other', async () => {
    const id = await bug.created(apis[0], 'Labelled');
    await rounds(async (writer, other) => {
      const label = randomUUID();
      const changed = await writer.put(`/artifacts/${id}`, { as: 'alice', body: { values: [labelled(label)] } });
      expect(changed.status).to.equal(200);
      const query = encodeURIComponent(JSON.stringify({ tags: label }));
      const [found, values]: readonly Answer[] = await Promise.all([
        other.get(`/trackers/${names.tracker}/artifacts?query=${query}`, { as: 'alice' }),
        other.get(`/tracker_fields/${names.field('tags')}/values?limit=1000`, { as: 'alice' }),
      ]);
      expect((found!.body as { id: number }[]).map((one) => one.id)).to.deep.equal([id]);
      expect(JSON.stringify(values!.body)).to.contain(label);
    });
  });
});
