import { expect } from 'chai';
import { artifactApi, refusal, type ArtifactApi } from './artifact-api.js';

describe('odd bodies for artifacts', () => {
  let api: ArtifactApi;
  let id: number;
  before(async () => {
    api = await artifactApi();
    id = await api.created();
  });
  after(() => api.stop());

  const both = async (body: string, headers: Record<string, string> = {}) => [
    await api.post('/artifacts', { as: 'carol', body, headers }),
    await api.put(`/artifacts/${id}`, { as: 'carol', body, headers }),
  ];
  const withTitle = (json: string): string =>
    `{"tracker":{"id":${api.tracker('bug')}},"values":[{"field_id":${api.field('bug', 'title')},"value":${json}}]}`;

  const statuses = async (body: string, headers?: Record<string, string>) =>
    (await both(body, headers)).map((answer) => refusal(answer).status);

  it('are refused where they are no JSON, or no object', async () => {
    for (const body of ['{', 'null', '"a"', '[]', '1', '{"values":[}', '{"values":[]} x']) {
      expect(await statuses(body), body).to.deep.equal([400, 400]);
    }
  });

  it('are refused where their text is no Unicode, or no line', async () => {
    for (const text of ['"\\ud800"', '"x\\udc00y"', '"a\\u0000b"', '"a\\nb"', '"a\\rb"']) {
      expect(await statuses(withTitle(text)), text).to.deep.equal([400, 400]);
    }
  });

  it('are refused where a value is of another type than its field', async () => {
    for (const value of ['1', 'true', '{}', '[]', '{"content":"x"}']) {
      expect(await statuses(withTitle(value)), value).to.deep.equal([400, 400]);
    }
  });

  it('are refused where they are too large, too deep or too many', async () => {
    expect(await statuses(withTitle(JSON.stringify('x'.repeat(1_048_576))))).to.deep.equal([413, 413]);
    expect(await statuses(withTitle(`${'['.repeat(5000)}${']'.repeat(5000)}`))).to.deep.equal([400, 400]);
    const elements = `{"values":[${'{},'.repeat(120_000)}{}],"tracker":{"id":1}}`;
    expect(await statuses(elements)).to.deep.equal([400, 400]);
    const ids = JSON.stringify(Array.from({ length: 90_000 }, (_, index) => index + 1));
    const platforms = `{"field_id":${api.field('bug', 'platforms')},"bind_value_ids":${ids}}`;
    expect(await statuses(`{"tracker":{"id":${api.tracker('bug')}},"values":[${platforms}]}`)).to.deep.equal([
      400, 400,
    ]);
  });

  it('are refused with another content type than JSON', async () => {
    expect(await statuses('values=1', { 'Content-Type': 'application/x-www-form-urlencoded' })).to.deep.equal([
      415, 415,
    ]);
    expect(await statuses('<request/>', { 'Content-Type': 'application/xml' })).to.deep.equal([415, 415]);
  });

  it('keep every character that a text may hold', async () => {
    const text = 'Zażółć 🚀\u2028 "quoted" \\ <b> \u00e9 e\u0301 \u0007';
    const made = await api.created([
      api.set('description', { value: { content: `${text}\n\r\n${text}`, format: 'text' } }),
    ]);
    expect((await api.shown(made, 'description'))?.['value']).to.equal(`${text}\n\r\n${text}`);
    const titled = await api.submit([api.titled(text)]);
    expect((await api.read(titled.body.id)).body.title).to.equal(text);
  });

  it('take the longest text and line that fit, and none that is longer', async () => {
    expect((await api.submit([api.titled('🚀'.repeat(200))])).status).to.equal(201);
    expect((await api.submit([api.titled('🚀'.repeat(201))])).status).to.equal(400);
    const long = (bytes: number) =>
      api.set('description', { value: { content: 'é'.repeat(bytes / 2), format: 'text' } });
    expect((await api.submit([api.titled('a'), long(65_534)])).status).to.equal(201);
    expect((await api.submit([api.titled('a'), long(65_536)])).status).to.equal(400);
  });

  it('answer a malformed body before the authentication', async () => {
    expect((await api.post('/artifacts', { body: '{' })).status).to.equal(400);
    expect((await api.put(`/artifacts/${id}`, { body: '{' })).status).to.equal(400);
  });
});
