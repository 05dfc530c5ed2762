import { expect } from 'chai';
import { createLogger } from '../../../src/logging/logger.js';
import { type Answer } from '../../support/client.js';
import { PREFIX } from '../../support/eventstoredb/opened.js';
import { type Secrets, secrets, type SecuredDouble, securedDouble, USER } from '../../support/eventstoredb/secured.js';
import { freshDatabase, type FreshDatabase, onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { runService, type RunningService } from '../../support/service.js';
import { TEST_JWT_SECRET } from '../../support/stores.js';
import { eventually } from './eventually.js';

onStandIn('mongo-java-server', 'a service whose user EventStoreDB no longer accepts', ({ url }) => {
  let files: Secrets;
  let eventStoreDb: SecuredDouble;
  let database: FreshDatabase;
  let api: RunningService;
  let logged: string;
  before(async () => {
    [files, database, logged] = [await secrets(), freshDatabase(url()), ''];
    eventStoreDb = await securedDouble(files);
    api = await runService({
      env: {
        EVENTSTOREDB_URL: eventStoreDb.connectionString,
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
    eventStoreDb.double.stop();
    await files.remove();
  });

  const values = (title: string) => [{ field_id: api.field('bug', 'title'), value: title }];
  const submit = (title: string): Promise<Answer> =>
    api.post('/artifacts', { as: 'carol', body: { tracker: { id: api.tracker('bug') }, values: values(title) } });

  it('answers 503 with Retry-After, logs the remedy, and serves as soon as the password is right again', async () => {
    const { body } = await submit('before');
    const path = `/artifacts/${body.id}`;
    const asked = (): Promise<readonly Answer[]> =>
      Promise.all([
        submit('meanwhile'),
        api.put(path, { as: 'carol', body: { values: values('meanwhile') } }),
        api.get(`${path}/changesets`, { as: 'carol' }),
        api.get(`${path}/history`, { as: 'carol' }),
      ]);
    eventStoreDb.double.faults.password = 'another one';
    for (const { status, headers } of await asked())
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect((await api.get(path, { as: 'carol' })).body.title).to.equal('before');
    expect(logged).to.contain('server rejects the service, operator action required').and.contain('EVENTSTOREDB_URL');
    for (const secret of [USER.password, encodeURIComponent(USER.password)]) expect(logged).not.to.contain(secret);

    eventStoreDb.double.faults.password = undefined;
    expect((await asked()).map(({ status }) => status)).to.deep.equal([201, 200, 200, 200]);
    await eventually('what is written is shown again', async () => {
      const { status, body: shown } = await api.get(path, { as: 'carol' });
      return status === 200 && shown.title === 'meanwhile';
    });
  });
});
