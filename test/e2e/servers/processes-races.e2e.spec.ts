import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { command, type ServiceProcess } from '../../support/process.js';
import { eventually } from './eventually.js';
import { agreesWithLog } from './naive-fold.js';
import { halfEach, processes, started, tally, type Bugs, type Names, type Processes } from './processes.js';

onStandIn('mongo-java-server', 'four processes over one log', () => {
  let them: Processes;
  let apis: readonly [ServiceProcess, ServiceProcess];
  let workers: readonly ServiceProcess[];
  let names: Names;
  let bug: Bugs;
  before(async () => {
    them = await processes();
    const begun = await started(them, ['api', 'api', 'worker', 'worker']);
    ({ names, bug } = begun);
    const [one, other, ...rest] = begun.services;
    [apis, workers] = [[one, other], rest];
  });
  after(() => them.close());

  const read = (service: ServiceProcess, id: number): Promise<Answer> =>
    service.get(`/artifacts/${id}`, { as: 'alice' });
  const listed = async (service: ServiceProcess, query = {}): Promise<readonly number[]> => {
    const filter = encodeURIComponent(JSON.stringify(query));
    const path = `/trackers/${names.tracker}/artifacts?limit=1000&query=${filter}`;
    const { status, body } = await service.get(path, { as: 'alice' });
    expect(status).to.equal(200);
    return (body as { id: number }[]).map(({ id }) => id);
  };

  /** The first status other than 200, and when it came, in milliseconds since 1970. */
  const turned = async (ask: () => Promise<number>): Promise<{ readonly status: number; readonly at: number }> => {
    let status = 200;
    const answers200 = async (): Promise<boolean> => (status = await ask()) === 200;
    await eventually('another status than 200', async () => !(await answers200()));
    return { status, at: Date.now() };
  };

  it('bring the platform to its file once', async () => {
    const events = await them.events();
    const made = (type: string, key: string): readonly unknown[] =>
      events.filter((event) => event.type === type).map(({ data }) => (data as Record<string, unknown>)[key]);
    expect([...made('UserRegistered', 'username')].sort()).to.deep.equal(['alice', 'bob', 'carol', 'dave', 'eve']);
    expect([...made('ProjectRegistered', 'shortname')].sort()).to.deep.equal(['frozen', 'hydra', 'vault']);
    expect([...made('TrackerDefined', 'itemName')].sort()).to.deep.equal(['bug', 'case', 'ice', 'note']);
    const said = events.map(({ stream, type, data }) => JSON.stringify([stream, type, data]));
    expect(new Set(said).size).to.equal(said.length);
  });

  it('are all ready, and the workers answer nothing else', async () => {
    for (const service of [...apis, ...workers]) {
      const ready = await fetch(`${service.url}/health/ready`);
      expect([ready.status, await ready.json()]).to.deep.equal([200, { status: 'ok' }]);
    }
    for (const worker of workers) expect((await fetch(`${worker.url}/api/projects`)).status).to.equal(404);
  });

  it('let one of twenty writers with one Etag win', async () => {
    const id = await bug.created(apis[0], 'Contested');
    const answers = await halfEach(20, apis, (service, index) =>
      bug.change(service, id, `Title ${index}`, { 'If-Match': '"0"' }),
    );
    expect(tally(answers)).to.deep.equal({ 200: 1, 412: 19 });
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const service of apis) {
      const { headers, body } = await read(service, id);
      expect([headers.get('etag'), body.title]).to.deep.equal(['"1"', `Title ${winner}`]);
    }
  });

  it('let all of 32 writers without a precondition through, one after the other', async () => {
    const id = await bug.created(apis[0], 'Rewritten');
    const answers = await halfEach(32, apis, (service, index) => bug.change(service, id, `Title ${index}`));
    expect(tally(answers)).to.deep.equal({ 200: 32 });
    const revisions = answers.map(({ headers }) => Number(/\d+/.exec(headers.get('etag') ?? '')?.[0]));
    expect([...revisions].sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 32 }, (_, index) => index + 1));
    const last = answers.findIndex((_, index) => revisions[index] === 32);
    for (const service of apis) expect((await read(service, id)).body.title).to.equal(`Title ${last}`);
  });

  it('make one artifact of a submission that both get at once, and answer alike', async () => {
    const key = randomUUID();
    const before = (await listed(apis[0])).length;
    const answers = await halfEach(8, apis, (service) => bug.submit(service, 'Once', { 'Idempotency-Key': key }));
    expect(tally(answers)).to.deep.equal({ 201: 8 });
    for (const { body, headers } of answers) {
      expect(body).to.deep.equal(answers[0]!.body);
      expect(headers.get('etag')).to.equal('"0"');
    }
    for (const service of apis) expect(await listed(service)).to.have.length(before + 1);
  });

  it('give the name of a repository to one of ten', async () => {
    const body = { project_id: names.project, name: 'repo01' };
    const answers = await halfEach(10, apis, (service) => service.post('/svn', { as: 'alice', body }));
    expect(tally(answers)).to.deep.equal({ 201: 1, 409: 9 });
    const query = encodeURIComponent(JSON.stringify({ name: 'repo01' }));
    for (const service of apis) {
      const { body: page } = await service.get(`/projects/${names.project}/svn?query=${query}`, { as: 'alice' });
      expect(page.repositories).to.have.length(1);
    }
  });

  it('never give an id or a number twice', async () => {
    const ids = await halfEach(60, apis, (service, index) => bug.created(service, `Many ${index}`));
    expect(new Set(ids).size).to.equal(60);
    const numbers = [];
    for (const page of [0, 1]) {
      const path = `/trackers/${names.tracker}/artifacts?limit=50&offset=${50 * page}&values=all`;
      const { body } = await apis[1].get(path, { as: 'alice' });
      for (const { values } of body as { values: { type: string; value: number }[] }[]) {
        numbers.push(values.find(({ type }) => type === 'atid')!.value);
      }
    }
    expect(numbers.sort((a, b) => a - b)).to.deep.equal(numbers.map((_, index) => index + 1));
  });

  it('show through the one what was written through the other, right after its answer', async () => {
    for (let round = 0; round < 12; round += 1) {
      const [writer, reader] = round % 2 === 0 ? apis : [apis[1], apis[0]];
      const title = `Seen ${randomUUID()}`;
      const id = await bug.created(writer, 'Not yet');
      const [one, page] = await Promise.all([read(reader, id), listed(reader)]);
      expect([one.status, one.body.title]).to.deep.equal([200, 'Not yet']);
      expect(page).to.include(id);
      const changed = await bug.change(writer, id, title);
      const [again, found] = await Promise.all([read(reader, id), listed(reader, { title })]);
      expect([again.headers.get('etag'), again.body.title]).to.deep.equal([changed.headers.get('etag'), title]);
      expect(found).to.deep.equal([id]);
    }
  });

  /** Applies a changed platform file; how long after the event both processes stopped to answer 200, and with what. */
  const applied = async (
    [from, to]: readonly [string, string],
    type: string,
    status: (service: ServiceProcess) => Promise<number>,
  ): Promise<void> => {
    expect(await Promise.all(apis.map(status))).to.deep.equal([200, 200]);
    const text = readFileSync(them.platformFile, 'utf8');
    expect(text).to.contain(from);
    writeFileSync(them.platformFile, text.replace(from, to));
    const [{ code }, ...ends] = await Promise.all([
      command(['platform', 'apply', them.platformFile], them.env()),
      ...apis.map((service) => turned(() => status(service))),
    ]);
    expect(code).to.equal(0);
    const event = (await them.events()).findLast((each) => each.type === type);
    for (const end of ends) {
      expect(end.status).to.equal(403);
      expect(end.at - Date.parse(event?.metadata.at ?? '')).to.be.within(0, 1000);
    }
  };

  it('refuse a user within a second of the suspension', async () => {
    const password = "password: bob's password";
    await applied(
      [password, `${password}, status: suspended`],
      'UserSuspended',
      async (service) => (await service.get('/users/self', { as: 'bob' })).status,
    );
  });

  it('hide a project within a second of its being made private', async () => {
    const label = '    label: Hydra\n';
    await applied(
      [label, `${label}    access: private\n`],
      'ProjectAccessChanged',
      async (service) => (await service.get(`/projects/${names.project}`, { as: 'dave' })).status,
    );
  });

  it('count the sign-ins that fail together', async () => {
    const signIn = (service: ServiceProcess, password: string): Promise<Answer> =>
      service.post('/tokens', { body: { username: 'dave', password } });
    expect(tally(await halfEach(10, apis, (service) => signIn(service, 'wrong')))).to.deep.equal({ 500: 10 });
    for (const service of apis) {
      const refused = await signIn(service, "dave's password");
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(800, 900);
    }
  });

  it('judge ten of forty wrong passwords that come at once', async () => {
    const body = { username: 'mallory', password: 'wrong' };
    const answers = await halfEach(40, apis, (service) => service.post('/tokens', { body }));
    expect(tally(answers)).to.deep.equal({ 429: 30, 500: 10 });
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(Number(headers.get('retry-after'))).to.be.within(800, 900);
    }
  });

  it('leave read models that are a fold of the log', () => agreesWithLog(them.db, them.log));
});
