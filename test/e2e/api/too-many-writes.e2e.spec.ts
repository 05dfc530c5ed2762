import { expect } from 'chai';
import { serve } from '../../../src/composition/http-server.js';
import { type EventLog } from '../../../src/core/event-log.js';
import { client, type Answer, type Client } from '../../support/client.js';
import { runService, type RunningService } from '../../support/service.js';

/** More than go on at once. */
const WRITES = 180;

describe('Writes of artifacts that do not come to an end', () => {
  let api: RunningService;
  let door: Client;
  let close: () => Promise<void>;
  let goOn: () => void;
  let isHeld: boolean;
  let begun: number;

  before(async () => {
    api = await runService();
    isHeld = false;
    begun = 0;
    const { service, serving } = api;
    const listening = await serve({ ...serving, service: { ...service, log: { ...service.log, append } } });
    door = client(`http://127.0.0.1:${listening.port}`);
    close = () => listening.close(1000);
  });

  after(async () => {
    await close();
    await api.stop();
  });

  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });

  const append: EventLog['append'] = async (...appended) => {
    if (isHeld && appended[0].startsWith('artifact-')) {
      begun += 1;
      await held;
    }
    return api.service.log.append(...appended);
  };

  const submit = (): Promise<Answer> => {
    const values = [{ field_id: api.field('bug', 'title'), value: 'a bug' }];
    return door.post('/artifacts', { as: 'alice', body: { tracker: { id: api.tracker('bug') }, values } });
  };

  it('are refused before anything is written, and hold up neither readers nor sign-in', async () => {
    const { id } = (await submit()).body as { id: number };
    isHeld = true;
    const writes = Array.from({ length: WRITES }, submit);
    const refused = await Promise.race(writes);
    expect(refused.status).to.equal(503);
    expect(Number(refused.headers.get('Retry-After'))).to.equal(2);
    expect(refused.body).to.have.nested.property('error.message').that.includes('Too many writes are under way');

    expect((await door.get(`/artifacts/${id}`, { as: 'alice' })).status).to.equal(200);
    expect((await door.get(`/trackers/${api.tracker('bug')}/artifacts`, { as: 'alice' })).status).to.equal(200);
    expect(await door.signIn('bob'))
      .to.have.property('X-Auth-Token')
      .that.is.a('string');

    goOn();
    const answers = await Promise.all(writes);
    const taken = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status === 503).length).to.equal(WRITES - taken.length);
    expect(taken.length).to.be.within(1, WRITES - 1);
    expect(begun).to.equal(taken.length);
    isHeld = false;
    expect((await submit()).status).to.equal(201);
  });
});
