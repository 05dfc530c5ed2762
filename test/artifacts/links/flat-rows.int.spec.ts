import { expect } from 'chai';
import { artifactApi, type ArtifactApi, type Json } from '../artifact-api.js';

const HTML = '<p>Hello <b title="a &gt; b">w&ouml;rld</b> &amp;amp; 1 &lt; 2</p>\n<p>x</p><script>alert(1)</script>';

describe('a flat row of an artifact', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const rows = async (values: readonly Json[], format = 'flat') => {
    const id = await api.created(values);
    const parent = await api.created([api.set('links', { links: [{ id, type: '_is_child' }] })]);
    const path = `/artifacts/${parent}/linked_artifacts?direction=forward&nature=_is_child&output_format=${format}`;
    return { id, answer: await api.get(path) };
  };
  const row = async (values: readonly Json[], format?: string): Promise<Json> =>
    (await rows(values, format)).answer.body[0];
  const people = () => [
    api.set('assigned_to', { bind_value_ids: [api.user('bob'), api.user('carol')] }),
    api.set('team', { bind_value_ids: [`${api.service.definitions.projectNamed('hydra')?.id}_4`] }),
  ];
  const description = (content: string, format: string) => api.set('description', { value: { content, format } });

  it('shows users by their display names, and groups by their labels', async () => {
    const shown = await row(people());
    expect(shown).to.include({ submitted_by: 'Carol Clark (carol)', updated_by: 'Carol Clark (carol)' });
    expect(shown['assigned_to']).to.deep.equal(['Bob Brown (bob)', 'Carol Clark (carol)']);
    expect(shown['team']).to.deep.equal(['Project administrators']);
    const joined = await row(people(), 'flat_with_semicolon_string_array');
    expect(joined).to.include({ assigned_to: 'Bob Brown (bob);Carol Clark (carol)', team: 'Project administrators' });
  });

  it('has HTML and Markdown as text without tags', async () => {
    const html = 'Hello wörld &amp; 1 < 2\nx';
    expect(await row([description(HTML, 'html')])).to.include({ description: html });
    const markdown = await row([description('**a** [b](c) &lt; <i>', 'commonmark')]);
    expect(markdown).to.include({ description: 'a b < <i>\n' });
    expect(await row([description('<p>a</p> &lt;', 'text')])).to.include({ description: '<p>a</p> &lt;' });
  });

  it('has no links, files and permissions, and texts, lists and dates, but no numbers, among fields that never held a value', async () => {
    const readers = api.set('readers', { value: { is_used_by_default: false, granted_groups: [] } });
    const body = { name: 'a.txt', mimetype: 'text/plain', content: 'YQ==' };
    const { id } = (await api.post('/artifact_temporary_files', { as: 'carol', body })).body;
    const values = [readers, api.set('points', { value: 3 }), api.set('due', { value: '2024-03-05' })];
    const filled = await row([...values, api.set('attachments', { value: [id] })]);
    const held = ['due', 'id', 'points', 'rank', 'remaining', 'status_id', 'submitted_by', 'submitted_on'];
    const empty = ['assigned_to', 'description', 'meeting', 'platforms', 'severity', 'tags', 'team'];
    expect(filled).to.have.all.keys(...held, ...empty, 'title', 'updated_by', 'updated_on');
    expect(filled).to.deep.include({ description: '', meeting: null, platforms: [], tags: [], team: [] });
    const leftOut = ['points', 'effort'].map((name) => api.set(name, { value: null }));
    const joined = await row(leftOut, 'flat_with_semicolon_string_array');
    expect(joined).to.include({ due: null, platforms: '', tags: '' }).and.not.have.any.keys('points', 'effort');
  });

  it('shows an emptied field as empty', async () => {
    const id = await api.created([
      ...people(),
      api.set('effort', { value: 3 }),
      api.set('due', { value: '2024-03-05' }),
      description('a', 'text'),
    ]);
    await api.changed(id, [
      api.set('assigned_to', { bind_value_ids: [] }),
      ...['effort', 'due', 'description'].map((name) => api.set(name, { value: null })),
    ]);
    const parent = await api.created([api.set('links', { links: [{ id, type: '_is_child' }] })]);
    const path = `/artifacts/${parent}/linked_artifacts?direction=forward&nature=_is_child`;
    const { body } = await api.get(`${path}&output_format=flat`);
    expect(body[0]).to.deep.include({ assigned_to: [], effort: null, due: null, description: '' });
    const { body: joined } = await api.get(`${path}&output_format=flat_with_semicolon_string_array`);
    expect(joined[0]).to.include({ assigned_to: '', effort: null });
  });

  it('is refused if labels with a semicolon are to be joined', async () => {
    const tags = api.set('tags', { bind_value_ids: ['urgent', 'x;y'] });
    expect((await row([tags]))['tags']).to.deep.equal(['urgent', 'x;y']);
    const { id, answer } = await rows([tags], 'flat_with_semicolon_string_array');
    expect(answer.status).to.equal(400);
    expect(answer.body.error.message).to.equal(
      `Bad Request: output_format cannot join the labels of field "tags" (${api.field('bug', 'tags')}) ` +
        `of artifact #${id}: "x;y" has a semicolon; use "flat"`,
    );
    expect(answer.body.error.details[0].pointer).to.equal('output_format');
  });

  it('is refused also behind more rows than are held at once', async () => {
    const long = description('long '.repeat(13_000), 'text');
    const links = await Promise.all(Array.from({ length: 40 }, () => api.created([long])));
    const last = await api.created([api.set('tags', { bind_value_ids: ['x;y'] })]);
    const parent = await api.created([
      api.set('links', { links: [...links, last].map((id) => ({ id, type: 'fixed_in' })) }),
    ]);
    const path = `/artifacts/${parent}/linked_artifacts?direction=forward&nature=fixed_in&limit=50`;
    const format = '&output_format=flat_with_semicolon_string_array';
    expect((await api.get(`${path}${format}`)).status).to.equal(400);
    const fitting = await api.get(`${path.replace('limit=50', 'limit=40')}${format}`);
    expect([fitting.status, fitting.body.length]).to.deep.equal([200, 40]);
  });
});
