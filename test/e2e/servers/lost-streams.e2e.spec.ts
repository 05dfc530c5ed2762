import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { requestStream } from '../../../src/artifacts/idempotency/accepted-request-events.js';
import { NO_STREAM } from '../../../src/core/event-log.js';
import { createLogger } from '../../../src/logging/logger.js';
import { type Answer } from '../../support/client.js';
import { type Double, eventStoreDouble } from '../../support/eventstoredb/double.js';
import { freshDatabase, type FreshDatabase, onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { runService, type RunningService } from '../../support/service.js';
import { TEST_JWT_SECRET } from '../../support/stores.js';

const PREFIX = 'ledger.';

onStandIn('mongo-java-server', 'a service of which an operator has shortened streams', ({ url }) => {
  let double: Double;
  let database: FreshDatabase;
  let api: RunningService;
  let logged: string;
  before(async function () {
    this.timeout(240_000);
    [double, database, logged] = [await eventStoreDouble(), freshDatabase(url()), ''];
    api = await runService({
      env: {
        EVENTSTOREDB_URL: double.connectionString,
        EVENTSTOREDB_PREFIX: PREFIX,
        MONGODB_URL: database.url,
        JWT_SECRET: TEST_JWT_SECRET,
      },
      logger: createLogger('warn', { write: (line) => (logged += line) }),
    });
    await api.signIn('carol');
  });
  after(async () => {
    await api.stop();
    await database.drop();
    double.stop();
  });

  const values = (title: string) => [{ field_id: api.field('bug', 'title'), value: title }];
  const submit = (title: string, key?: string): Promise<Answer> =>
    api.post('/artifacts', {
      as: 'carol',
      body: { tracker: { id: api.tracker('bug') }, values: values(title) },
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    });
  const expectNamed = ({ status, headers, body }: Answer, stream: string): void => {
    expect(status, JSON.stringify(body)).to.equal(503);
    expect(headers.get('retry-after')).to.equal('60');
    expect(JSON.stringify(body)).to.contain(`lost events of the stream ${stream}`);
    expect(logged).to.contain('server rejects the service, operator action required').and.contain(stream);
  };

  for (const [title, shorten] of [
    [
      'truncated',
      (stream: string) => {
        double.log.truncate(stream, 1);
      },
    ],
    [
      'emptied by $maxAge',
      (stream: string) => {
        double.log.truncate(stream, 2);
      },
    ],
    [
      'deleted',
      (stream: string) => {
        double.log.delete(stream);
      },
    ],
    [
      'tombstoned',
      (stream: string) => {
        double.log.tombstone(stream);
      },
    ],
  ] as const) {
    it(`answers 503 with the name of an artifact's stream that was ${title}, and goes on with all others`, async () => {
      const { body } = await submit(title);
      const path = `/artifacts/${body.id}`;
      expect((await api.put(path, { as: 'carol', body: { values: values('changed') } })).status).to.equal(200);
      shorten(`${PREFIX}artifact-${body.id}`);
      const answers = await Promise.all([
        api.put(path, { as: 'carol', body: { values: values('changed again') } }),
        api.get(`${path}/changesets`, { as: 'carol' }),
        api.get(`${path}/history`, { as: 'carol' }),
        api.get(`${path}?revision=0`, { as: 'carol' }),
      ]);
      for (const answer of answers) expectNamed(answer, `artifact-${body.id}`);
      expect((await api.get(path, { as: 'carol' })).status).to.equal(200);
      expect((await submit('another one')).status).to.equal(201);
    });
  }

  it('goes on with keys and deletions of which only the last event is left', async () => {
    const { log } = api.service;
    const carol = requestStream(api.user('carol'), 'used');
    const at = new Date(Date.now() - 25 * 3600 * 1000).toISOString();
    const used = { type: 'RequestAccepted', data: { artifactId: 1, digest: 'another', at }, id: randomUUID() };
    await log.append(carol, NO_STREAM, [used], { actor: null, at, schema: 1, commandId: randomUUID() });
    const first = await submit('with a used key', 'used');
    expect(first.status).to.equal(201);
    double.log.truncate(`${PREFIX}${carol}`, 1);
    double.log.scavenge();
    expect((await submit('with a used key', 'used')).body).to.deep.equal(first.body);
    expect((await submit('another', 'used')).status).to.equal(409);

    for (const left of [4, 3, 2]) {
      const { body } = await submit('to be deleted');
      const answer = await api.request('DELETE', `/artifacts/${body.id}`, { as: 'bob' });
      expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).to.deep.equal([200, String(left)]);
      double.log.truncate(`${PREFIX}${deletionsStream(api.user('bob'))}`, 4 - left);
      double.log.scavenge();
    }
  });

  it('answers 503 for a key of which the stream was emptied, and takes others meanwhile', async () => {
    const before = new Set(double.log.entries);
    expect((await submit('with a key', 'the-key')).status).to.equal(201);
    const stream = double.log.entries.find(
      (entry) => !before.has(entry) && entry.stream.startsWith(`${PREFIX}request-`),
    )!.stream;
    double.log.truncate(stream, 99);
    const [emptied, ...others] = await Promise.all([
      submit('with a key', 'the-key'),
      ...['a', 'b', 'c'].map((key) => submit(key, key)),
    ]);
    expectNamed(emptied, stream.slice(PREFIX.length));
    expect(others.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
  });
});
