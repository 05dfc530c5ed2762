import { expect } from 'chai';
import { artifactApi, refusal, type ArtifactApi, type Json } from './artifact-api.js';

describe('what fields take over HTTP, and give back', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  /** The same at creation and in a change. */
  const writes = async (name: string, parts: Json, expected: object, as = 'carol'): Promise<void> => {
    const values = [api.set(name, parts)];
    const made = await api.created(values, { as });
    expect(await api.shown(made, name, as), `${name} at creation`).to.include(expected);
    const id = await api.created([], { as });
    await api.changed(id, values, { as });
    expect(await api.shown(id, name, as), `${name} in a change`).to.deep.include(await api.shown(made, name, as));
  };
  const value = (field: string, label: string): number => api.value('bug', field, label);
  const bobIs = (): number => api.user('bob');

  it('plain fields: numbers as such and in digits', async () => {
    await writes('points', { value: 5 }, { type: 'int', label: 'Points', value: 5 }, 'alice');
    await writes('points', { value: '-12' }, { value: -12 }, 'alice');
    await writes('effort', { value: 1.25 }, { type: 'float', value: 1.25 });
    await writes('effort', { value: '1e3' }, { value: 1000 });
  });

  it('texts: their format, their HTML, and their source', async () => {
    await writes(
      'description',
      { value: 'a *b*' },
      { format: 'html', commonmark: 'a *b*', value: '<p>a <em>b</em></p>\n' },
    );
    await writes(
      'description',
      { value: { content: '<b>x</b><script>1</script>', format: 'html' } },
      { format: 'html', value: '<b>x</b><script>1</script>', post_processed_value: '<b>x</b>' },
    );
    await writes(
      'description',
      { value: { content: 'a < b', format: 'text' } },
      { format: 'text', value: 'a < b', post_processed_value: 'a &lt; b' },
    );
    await writes('description', { value: { content: 'a', format: 'odd' } }, { commonmark: 'a' });
  });

  it('dates: the day, or the minute where the field shows time', async () => {
    await writes('due', { value: '2024-03-05' }, { value: '2024-03-05T00:00:00+00:00', is_time_displayed: false });
    await writes('due', { value: '2024-03-05T23:30:00-05:00' }, { value: '2024-03-05T00:00:00+00:00' });
    await writes(
      'meeting',
      { value: '2024-03-05T10:11:12+01:00' },
      { value: '2024-03-05T09:11:00+00:00', is_time_displayed: true },
    );
    expect(refusal(await api.submit([api.titled('a'), api.set('due', { value: '2024-02-30' })])).status).to.equal(400);
  });

  it('lists: ids, and nothing for None in any spelling', async () => {
    const severity = value('severity', 'Major');
    await writes('severity', { bind_value_ids: [severity] }, { type: 'rb' });
    const id = await api.created([api.set('severity', { bind_value_ids: [String(severity)] })]);
    expect(await api.shown(id, 'severity')).to.deep.equal({
      field_id: api.field('bug', 'severity'),
      type: 'rb',
      label: 'Severity',
      values: [{ id: severity, label: 'Major', color: null, tlp_color: null, is_hidden: false }],
      bind_value_ids: [severity],
    });
    for (const none of [[], [0], [100], ['100']]) {
      await api.changed(id, [api.set('severity', { bind_value_ids: [severity] })]);
      await api.changed(id, [api.set('severity', { bind_value_ids: none })]);
      expect(await api.shown(id, 'severity'), JSON.stringify(none)).to.deep.include({ values: [], bind_value_ids: [] });
    }
  });

  it('lists of users, of groups, and of many', async () => {
    const both = [value('platforms', 'Linux'), value('platforms', 'macOS')];
    const id = await api.created([
      api.set('platforms', { bind_value_ids: both }),
      api.set('assigned_to', { bind_value_ids: [bobIs()] }),
      api.set('team', { bind_value_ids: ['101_4'] }),
    ]);
    expect((await api.shown(id, 'platforms'))?.['bind_value_ids']).to.deep.equal(both);
    expect(await api.shown(id, 'assigned_to')).to.deep.include({ bind_value_ids: [bobIs()] });
    expect((await api.shown(id, 'team'))?.['bind_value_ids']).to.deep.equal(['101_4']);
    expect((await api.read(id)).body.assignees).to.have.lengthOf(1);
  });

  it('lists: ids in "value", as other fields hold theirs', async () => {
    const [severity, status, linux] = [
      value('severity', 'Major'),
      value('status_id', 'New'),
      value('platforms', 'Linux'),
    ];
    for (const written of [severity, String(severity), [severity], [String(severity)]]) {
      await writes('severity', { value: written }, { type: 'rb' });
    }
    const id = await api.created([
      api.set('status_id', { value: String(status) }),
      api.set('severity', { value: severity }),
      api.set('platforms', { value: [linux, value('platforms', 'macOS')] }),
      api.set('assigned_to', { value: bobIs() }),
      api.set('team', { value: '101_4' }),
    ]);
    const ids = async (name: string) => (await api.shown(id, name))?.['bind_value_ids'];
    expect(await ids('status_id')).to.deep.equal([status]);
    expect(await ids('severity')).to.deep.equal([severity]);
    expect(await ids('platforms')).to.deep.equal([linux, value('platforms', 'macOS')]);
    expect(await ids('assigned_to')).to.deep.equal([bobIs()]);
    expect(await ids('team')).to.deep.equal(['101_4']);

    const before = (await api.read(id)).headers.get('etag');
    expect(await api.changed(id, [api.set('severity', { value: String(severity) })])).to.equal(before);
    for (const none of [null, '', [], '100']) {
      await api.changed(id, [api.set('severity', { value: severity })]);
      await api.changed(id, [api.set('severity', { value: none })]);
      expect(await ids('severity'), JSON.stringify(none)).to.deep.equal([]);
    }
  });

  it('lists refuse what they do not offer, alike in creation and change', async () => {
    const id = await api.created();
    const refused: readonly Json[] = [
      api.set('severity', { bind_value_ids: [999_999] }),
      api.set('severity', { bind_value_ids: ['x'] }),
      api.set('severity', { bind_value_ids: 'x' }),
      api.set('severity', { value: 1 }),
      api.set('severity', { value: 'Major' }),
      api.set('severity', { value: { id: value('severity', 'Major') } }),
      api.set('severity', { value: [value('severity', 'Minor'), value('severity', 'Major')] }),
      api.set('severity', { bind_value_ids: [value('severity', 'Minor'), value('severity', 'Major')] }),
      api.set('severity', { bind_value_ids: [value('status_id', 'New')] }),
      api.set('assigned_to', { bind_value_ids: [api.user('dave')] }),
      api.set('team', { bind_value_ids: ['999_3'] }),
    ];
    for (const element of refused) {
      expect(refusal(await api.submit([api.titled('a'), element])).status, JSON.stringify(element)).to.equal(400);
      expect(refusal(await api.change(id, [element])).status, JSON.stringify(element)).to.equal(400);
    }
  });

  it('open lists: labels, and objects', async () => {
    await writes('tags', { bind_value_ids: ['urgent', 'new one'] }, { type: 'tbl', bind_type: 'static' });
    const objects = [{ id: value('tags', 'later') }, { label: 'new one' }, { id: `b${value('tags', 'urgent')}` }];
    const id = await api.created([api.set('tags', { value: { bind_value_objects: objects } })]);
    const tags = await api.shown(id, 'tags');
    expect(tags?.['bind_value_ids']).to.deep.equal(['later', 'new one', 'urgent']);
    const ids = (tags?.['bind_value_objects'] as { id: number | string }[]).map((each) => each.id);
    expect(ids).to.deep.equal([value('tags', 'later'), 'o1', value('tags', 'urgent')]);
  });

  it('open lists: a label that many add at once is one', async () => {
    const label = 'found by all';
    const made = await Promise.all(
      Array.from({ length: 10 }, () => api.created([api.set('tags', { bind_value_ids: [label, 'urgent'] })])),
    );
    const ids = await Promise.all(
      made.map(async (id) => ((await api.shown(id, 'tags'))?.['bind_value_objects'] as { id: string }[])[0]?.id),
    );
    expect(new Set(ids).size).to.equal(1);
  });

  it('open lists: a label that was added is shown by its tracker, and taken by its id, at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const label = `label ${round}`;
      const id = await api.created([api.set('tags', { bind_value_ids: [label] })]);
      const { body } = await api.get(`/trackers/${api.tracker('bug')}`, { as: 'carol' });
      const field = (body.fields as { name: string; values: { id: string; label: string }[] }[]).find(
        ({ name }) => name === 'tags',
      );
      const known = field?.values.find((each) => each.label === label);
      expect(known, label).to.have.property('id');
      await api.changed(id, [api.set('tags', { value: { bind_value_objects: [{ id: known?.id }] } })]);
    }
  });

  it('open lists: many labels, but not too many new ones at once', async () => {
    const labels = (first: number, count: number) =>
      api.set('tags', { bind_value_ids: Array.from({ length: count }, (_, index) => `many ${first + index}`) });
    const id = await api.created([labels(0, 100)]);
    await api.changed(id, [labels(0, 200)]);
    expect((await api.shown(id, 'tags'))?.['bind_value_ids']).to.have.lengthOf(200);
    const refused = async (count: number) => refusal(await api.change(id, [labels(0, count)]));
    expect(await refused(301)).to.deep.equal({ status: 400, pointers: ['/values/0'] });
    expect(await refused(15_000)).to.deep.equal({ status: 400, pointers: ['/values/0/bind_value_ids'] });
  });

  it('computed fields: by hand, or summed', async () => {
    await writes('remaining', { manual_value: 3.5 }, { is_autocomputed: false, value: null, manual_value: 3.5 });
    await writes('remaining', { is_autocomputed: true }, { is_autocomputed: true, value: null, manual_value: null });
    const refused = await api.submit([api.titled('a'), api.set('remaining', { value: 3 })]);
    expect(refusal(refused).status).to.equal(400);
  });

  it('what the service fills in itself is ignored or refused', async () => {
    const id = await api.created();
    for (const name of ['submitted_on', 'submitted_by', 'updated_on', 'updated_by']) {
      expect(await api.changed(id, [api.set(name, { value: '2001-01-01' })])).to.equal('"0"');
    }
    expect(refusal(await api.change(id, [api.set('id', { value: 1 })])).status).to.equal(400);
    expect(refusal(await api.submit([api.titled('a'), api.set('rank', { value: 1 })])).status).to.equal(400);
  });

  it('a field emptied by null is shown as empty, no longer as never filled', async () => {
    const id = await api.created([api.set('effort', { value: 1 }), api.set('due', { value: '2024-01-01' })]);
    await api.changed(id, [api.set('effort', { value: null }), api.set('due', { value: '' })]);
    expect((await api.shown(id, 'effort'))?.['value']).to.equal(null);
    expect((await api.shown(id, 'due'))?.['value']).to.equal(null);
  });
});
