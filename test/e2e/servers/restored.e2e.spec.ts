import { expect } from 'chai';
import { createLogger } from '../../../src/logging/logger.js';
import { type Answer } from '../../support/client.js';
import { type Double, eventStoreDouble } from '../../support/eventstoredb/double.js';
import { freshDatabase, type FreshDatabase, onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { runService, type RunningService } from '../../support/service.js';
import { TEST_JWT_SECRET } from '../../support/stores.js';
import { eventually } from './eventually.js';

/** What clients may have to wait until the read models are filled again. */
const PATIENCE_MS = 5000;

onStandIn('mongo-java-server', 'an EventStoreDB restored to an older state while the service is stopped', ({ url }) => {
  let double: Double;
  let database: FreshDatabase;
  let api: RunningService;
  let logged = '';
  let kept: number;
  let lost: readonly number[];

  const start = async (): Promise<void> => {
    const env = {
      EVENTSTOREDB_URL: double.connectionString,
      EVENTSTOREDB_PREFIX: 'ledger.',
      MONGODB_URL: database.url,
      JWT_SECRET: TEST_JWT_SECRET,
    };
    api = await runService({ env, logger: createLogger('warn', { write: (line) => (logged += line) }) });
  };
  const submit = async (title: string): Promise<number> => {
    const values = [{ field_id: api.field('bug', 'title'), value: title }];
    const body = { tracker: { id: api.tracker('bug') }, values };
    const answer = await api.post('/artifacts', { as: 'carol', body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return Number(answer.body.id);
  };
  const read = (id: number): Promise<Answer> => api.get(`/artifacts/${id}`, { as: 'carol' });
  const expectListed = async (ids: readonly number[]): Promise<void> => {
    const { headers, body } = await api.get(`/trackers/${api.tracker('bug')}/artifacts`, { as: 'carol' });
    expect((body as { id: number }[]).map(({ id }) => id)).to.have.members(ids);
    expect(headers.get('x-pagination-size')).to.equal(String(ids.length));
  };
  const withdrawn = (): readonly Record<string, unknown>[] =>
    logged
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ expected }) => expected !== undefined);

  before(async () => {
    [double, database] = [await eventStoreDouble(), freshDatabase(url())];
    await start();
    kept = await submit('Kept');
    const older = double.log.entries.length;
    lost = [await submit('Lost one'), await submit('Lost two')];
    await expectListed([kept, ...lost]);
    await api.stop();
    double.stop();
    double.log.restore(older);
    await double.start();
    await start();
  });
  after(async () => {
    await api.stop();
    await database.drop();
    double.stop();
  });

  it('shows no lost artifact, and answers at most 503 with Retry-After before', async () => {
    for (const id of lost) {
      await eventually(
        `artifact ${id} is gone`,
        async () => {
          const { status, headers } = await read(id);
          if (status === 503) expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
          else expect(status).to.equal(404);
          return status === 404;
        },
        PATIENCE_MS,
      );
    }
    expect((await read(kept)).body.title).to.equal('Kept');
    await expectListed([kept]);
  });

  it('is warned of, with each projection and the position that it stood at', () => {
    const warnings = withdrawn();
    expect(warnings.map(({ projection }) => projection)).to.include('artifacts');
    for (const { level, projection, position, expected, msg } of warnings) {
      expect(level).to.equal(40);
      expect(projection).to.be.a('string').that.is.not.empty;
      expect(position).to.match(/^[0-9a-f]{16,}$/);
      expect(expected).to.match(/^[0-9a-f-]{36}$/);
      expect(msg).to.include('not found in the log');
    }
    const named = warnings.map(({ projection }) => projection);
    expect(new Set(named).size, named.join()).to.equal(named.length);
  });

  it('shows each later artifact unchanged', async () => {
    const made = [await submit('New one'), await submit('New two'), await submit('New three')];
    for (const [index, title] of ['New one', 'New two', 'New three'].entries()) {
      const { status, body } = await read(made[index]!);
      expect([status, body.title]).to.deep.equal([200, title]);
    }
    await expectListed([kept, ...made]);
  });

  it('is followed by the next start without a warning', async () => {
    await api.stop();
    logged = '';
    await start();
    expect(logged).to.equal('');
    expect((await read(kept)).body.title).to.equal('Kept');
  });
});
