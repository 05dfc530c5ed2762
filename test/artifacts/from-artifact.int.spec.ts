import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { PLATFORM_OF_ALL_TYPES } from '../e2e/api/platform.js';
import { refusal } from './artifact-api.js';
import { runService, type RunningService } from '../support/service.js';

const TRACKERS = `
      - item_name: letter
        label: Letters
        fields: [{ name: subject, label: Subject, type: text }, { name: copy, label: Copy, type: string }]
        semantics: { title: subject }
      - item_name: tweet
        label: Tweets
        fields: [{ name: text, label: Text, type: string, max_chars: 5 }]
        semantics: { title: text }
      - item_name: form
        label: Forms
        fields: [{ name: title, label: Title, type: string }, { name: reason, label: Reason, type: string, required: true }]
        semantics: { title: title }
      - item_name: sealed
        label: Sealed
        fields: [{ name: title, label: Title, type: string, permissions: { submit: [project_admins] } }]
        semantics: { title: title }
`;

describe('an artifact made from another one', () => {
  let api: RunningService;
  let source: number;
  before(async () => {
    const platform = PLATFORM_OF_ALL_TYPES.replace(
      '      - item_name: staff',
      `${TRACKERS.slice(1)}      - item_name: staff`,
    );
    api = await runService({ platform });
    source = await created('item', { title: 'An item', about: 'At length', count: 7 });
  });
  after(() => api.stop());

  const valuesOf = (tracker: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]) => ({ field_id: api.field(tracker, name), value }));
  const post = (tracker: string, more: object, as = 'tim', headers = {}) =>
    api.post('/artifacts', { as, headers, body: { tracker: { id: api.tracker(tracker) }, ...more } });
  async function created(tracker: string, values: Readonly<Record<string, unknown>>, as = 'tim'): Promise<number> {
    const { status, body } = await post(tracker, { values: valuesOf(tracker, values) }, as);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  }
  const from = (tracker: string, id: unknown, as?: string, headers?: object) =>
    post(tracker, { from_artifact: { id } }, as, headers);
  const copied = async (tracker: string, id: unknown, as?: string): Promise<number> => {
    const { status, body } = await from(tracker, id, as);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  };
  const submitted = async (id: number) => {
    const { events } = await api.service.log.read<ArtifactEvent>(artifactStream(id));
    expect(events).to.have.length(1);
    const { artifactId, ...data } = events[0]!.data;
    expect(artifactId).to.equal(id);
    return { type: events[0]!.type, data };
  };

  it('has its title, and is submitted as if the client had written the title itself', async () => {
    const answer = await from('item', source);
    expect([answer.status, answer.headers.get('etag')]).to.deep.equal([201, '"0"']);
    expect(answer.body).to.include({ uri: `artifacts/${answer.body.id}` });
    expect(answer.headers.get('location')).to.equal(`${api.url}/api/artifacts/${answer.body.id}`);
    const alike = await submitted(await created('item', { title: 'An item' }));
    expect(await submitted(answer.body.id)).to.deep.equal(alike);
    expect((await api.get(`/artifacts/${answer.body.id}`, { as: 'tim' })).body.title).to.equal('An item');
  });

  it('takes the title into another tracker, for any name and type of the title fields', async () => {
    const letter = await copied('letter', source);
    const subject = String(api.field('letter', 'subject'));
    expect((await submitted(letter)).data).to.deep.include({
      values: { [subject]: { text: 'An item', format: 'text' } },
    });
    expect((await api.get(`/artifacts/${await copied('item', letter)}`)).body.title).to.equal('An item');
    const written = { content: '<b>Bold</b>', format: 'html' };
    const bold = await copied('letter', await created('letter', { subject: written }));
    expect((await submitted(bold)).data).to.deep.include({
      values: { [subject]: { text: '<b>Bold</b>', format: 'html' } },
    });
  });

  it('takes ids in digits, and passes over members that are empty', async () => {
    await copied('item', String(source));
    expect((await post('item', { from_artifact: { id: source }, values: [], values_by_field: {} })).status).to.equal(
      201,
    );
    const values = valuesOf('item', { title: 'x' });
    expect((await post('item', { from_artifact: null, values })).status).to.equal(201);
  });

  it('has one source: more than one is refused, and none', async () => {
    const values = valuesOf('item', { title: 'x' });
    const byField = { title: { value: 'x' } };
    const wrong = [
      { from_artifact: { id: source }, values },
      { from_artifact: { id: source }, values_by_field: byField },
      { from_artifact: { id: source }, values, values_by_field: byField },
      { from_artifact: null },
      { from_artifact: {} },
      { from_artifact: source },
      { from_artifact: { id: 'x' } },
      { from_artifact: { id: 0 } },
    ];
    for (const more of wrong) expect((await post('item', more)).status, JSON.stringify(more)).to.equal(400);
  });

  it('is refused if its source is unknown, deleted or not visible, with one answer', async () => {
    const hidden = await created('case', { title: 'Secret' }, 'max');
    const limited = await created('item', { title: 'x', readers: { granted_groups: ['101_4'] } }, 'pam');
    const deleted = await created('item', { title: 'x' });
    expect((await api.request('DELETE', `/artifacts/${deleted}`, { as: 'tim' })).status).to.equal(200);
    for (const id of [999_999, hidden, limited, deleted]) {
      const answer = await from('item', id, 'meg');
      expect(refusal(answer)).to.deep.equal({ status: 400, pointers: ['/from_artifact/id'] });
      expect(answer.body.error.message).to.equal(`Bad Request: Unknown artifact ${id}`);
    }
    await copied('item', limited, 'pam');
  });

  it('is refused alike if its source has no title and if the title may not be read', async () => {
    const veiled = await created('veiled', { title: 'Veiled' }, 'pam');
    const none = await created('staff', { title: 'No semantics' });
    for (const id of [veiled, none]) {
      const answer = await from('item', id, 'meg');
      expect(refusal(answer)).to.deep.equal({ status: 400, pointers: ['/from_artifact/id'] });
      expect(answer.body.error.message).to.equal(`Bad Request: The artifact ${id} has no title`);
    }
    await copied('item', veiled, 'pam');
  });

  it('is refused if its tracker has no title for it, or does not take the title', async () => {
    for (const tracker of ['staff', 'veiled']) {
      expect(refusal(await from(tracker, source))).to.deep.equal({ status: 400, pointers: ['/tracker/id'] });
    }
    for (const tracker of ['tweet', 'sealed']) {
      expect(refusal(await from(tracker, source)), tracker).to.deep.equal({
        status: 400,
        pointers: ['/from_artifact'],
      });
    }
  });

  it('is refused if a required field is left empty', async () => {
    const answer = await from('form', source);
    expect([answer.status, answer.body.error.message]).to.deep.equal([
      400,
      'Bad Request: The field Reason (reason) must have a value',
    ]);
    expect(refusal(answer).pointers).to.deep.equal(['/from_artifact']);
    const untitled = await created('letter', { copy: 'Of nothing' });
    expect((await from('item', untitled)).status).to.equal(400);
    expect((await submitted(await copied('letter', untitled))).data).to.deep.include({ values: {} });
  });

  it('needs the rights of a submission, which are checked before its source is read', async () => {
    const body = { tracker: { id: api.tracker('item') }, from_artifact: { id: source } };
    expect((await api.post('/artifacts', { body })).status).to.equal(401);
    expect((await from('case', 999_999)).status).to.equal(404);
    expect((await from('bosses', 999_999, 'meg')).status).to.equal(404);
  });

  it('is made once with an Idempotency-Key, after any change of its source', async () => {
    const passing = await created('item', { title: 'Passing' });
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await from('item', passing, 'tim', headers);
    expect(first.status).to.equal(201);
    expect((await api.request('DELETE', `/artifacts/${passing}`, { as: 'tim' })).status).to.equal(200);
    const again = await from('item', passing, 'tim', headers);
    expect([again.status, again.body]).to.deep.equal([201, first.body]);
    expect((await from('item', source, 'tim', headers)).status).to.equal(409);

    const unused = { 'Idempotency-Key': randomUUID() };
    expect((await from('item', passing, 'tim', unused)).status).to.equal(400);
    expect((await from('item', source, 'tim', unused)).status).to.equal(201);
  });
});
