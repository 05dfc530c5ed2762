import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { runService, type RunningService } from '../../support/service.js';
import { bodyOf, idsOf, type ArtifactJson, type ErrorJson } from './shapes.js';

const FIELDS = `
          - { name: title, label: Title, type: string }
          - { name: points, label: Points, type: int }
          - { name: secret, label: Secret, type: int, permissions: { read: [project_members] } }
          - { name: owner, label: Owner, type: sb, bind: users, from: [project_members] }`;
const WITHOUT_POINTS = FIELDS.replace(/.*points.*\n/, '');

const REPORTS = `
          - { name: Zero, query: points = 0 }
          - { name: all of them, default: true }
          - { name: Kept, public: false, query: points > 1 }
          - { name: Mine, query: owner = MYSELF() }
          - { name: Secrets, query: secret > 0 }`;

const tracker = (itemName: string, label: string, reports: string, fields = FIELDS): string => `
      - item_name: ${itemName}
        label: ${label}
        admins: [tess]
        permissions: { access: [registered_users] }
        fields: ${fields}
${reports}`;

const platform = (...trackers: readonly string[]): string => `
settings: { anonymous_access: true }
users:
${['root', 'boss', 'tess', 'meg', 'out']
  .map(
    (name) =>
      `  - { username: ${name}, real_name: ${name}, email: ${name}@example.org, password: "${name}'s password" }`,
  )
  .join('\n')
  .replace('root\'s password"', 'root\'s password", site_admin: true')}
projects:
  - shortname: plant
    label: Plant
    admins: [boss]
    members: [meg]
    trackers: ${trackers.join('')}
`;

const BUG = tracker('bug', 'Bugs', `        reports: ${REPORTS}`);
const TASK = tracker('task', 'Tasks', '');

interface ReportJson {
  readonly id: number;
  readonly label: string;
  readonly is_public: boolean;
  readonly is_default: boolean;
}

describe('the reports of a tracker', () => {
  let api: RunningService;
  let bugs: readonly number[];

  before(async () => {
    api = await runService({ platform: platform(BUG, TASK) });
    const made: number[] = [];
    for (let points = 0; points < 12; points += 1) made.push(await submit('bug', points));
    bugs = made;
    await submit('task', 1);
  });
  after(() => api.stop());

  async function submit(name: string, points: number): Promise<number> {
    const values = [
      { field_id: api.field(name, 'title'), value: `Number ${points}` },
      { field_id: api.field(name, 'points'), value: points },
      { field_id: api.field(name, 'secret'), value: points },
      { field_id: api.field(name, 'owner'), bind_value_ids: [api.user('meg')] },
    ];
    const answer = await api.post('/artifacts', { as: 'meg', body: { tracker: { id: api.tracker(name) }, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return bodyOf<{ id: number }>(answer).id;
  }

  const apply = (...trackers: readonly string[]) =>
    api.operate('apply', { text: platform(...trackers), prune: true, env: {} });
  const get = (path: string, as?: string): Promise<Answer> => api.get(path, as === undefined ? {} : { as });
  const reportsOf = async (name: string, as = 'boss'): Promise<readonly ReportJson[]> =>
    bodyOf<ReportJson[]>(await get(`/trackers/${api.tracker(name)}/tracker_reports`, as));
  async function idOf(label: string): Promise<number> {
    const found = (await reportsOf('bug')).find((report) => report.label === label);
    expect(found, label).not.to.equal(undefined);
    return found!.id;
  }
  const artifactsOf = async (label: string, as = 'meg', search = ''): Promise<Answer> =>
    get(`/tracker_reports/${await idOf(label)}/artifacts${search}`, as);
  const pageOf = ({ headers }: Answer) =>
    ['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX'].map((name) => Number(headers.get(`X-PAGINATION-${name}`)));
  const nextOf = ({ headers }: Answer): string =>
    /\/api(\/[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1] ?? '';

  it('are listed by label, in pages that a cursor continues', async () => {
    const path = `/trackers/${api.tracker('bug')}/tracker_reports`;
    const answer = await get(`${path}?limit=3`, 'boss');
    const [first] = bodyOf<ReportJson[]>(answer);
    expect(first).to.deep.equal({
      id: first!.id,
      uri: `tracker_reports/${first!.id}`,
      label: 'all of them',
      is_public: true,
      is_default: true,
      resources: [{ type: 'artifacts', uri: `tracker_reports/${first!.id}/artifacts` }],
    });
    expect(pageOf(answer)).to.deep.equal([3, 0, 5, 1000]);
    const rest = await get(nextOf(answer), 'boss');
    const labels = [answer, rest].flatMap((page) => bodyOf<ReportJson[]>(page).map(({ label }) => label));
    expect(labels).to.deep.equal(['all of them', 'Kept', 'Mine', 'Secrets', 'Zero']);
    expect(nextOf(rest)).to.equal('');
    expect(pageOf(await get(path, 'boss'))).to.deep.equal([10, 0, 5, 1000]);
    for (const limit of [0, 1001]) expect((await get(`${path}?limit=${limit}`, 'boss')).status).to.equal(400);
  });

  it('are listed by visibility: only administrators of the tracker see one that is not public', async () => {
    const kept = await idOf('Kept');
    for (const [as, isSeen] of [
      ['root', true],
      ['boss', true],
      ['tess', true],
      ['meg', false],
      ['out', false],
    ] as const) {
      const labels = (await reportsOf('bug', as)).map(({ label }) => label);
      expect(labels, as).to.have.length(isSeen ? 5 : 4);
      expect(labels.includes('Kept'), as).to.equal(isSeen);
      for (const path of [`/tracker_reports/${kept}`, `/tracker_reports/${kept}/artifacts`]) {
        expect((await get(path, as)).status, `${as} ${path}`).to.equal(isSeen ? 200 : 404);
      }
    }
    const [unknown, hidden] = await Promise.all([999_999, kept].map((id) => get(`/tracker_reports/${id}`, 'meg')));
    expect(unknown!.body).to.deep.equal(hidden!.body);
    // The tracker itself is for registered users.
    for (const path of ['', '/artifacts']) {
      expect((await get(`/tracker_reports/${await idOf('Zero')}${path}`)).status).to.equal(404);
    }
  });

  it('return the matches of their queries by id, in pages that a cursor continues', async () => {
    expect(idsOf(await artifactsOf('Zero'))).to.deep.equal([bugs[0]]);
    const answer = await artifactsOf('all of them', 'meg', '?offset=1');
    expect(idsOf(answer)).to.deep.equal(bugs.slice(1, 11));
    expect(pageOf(answer)).to.deep.equal([10, 1, 12, 50]);
    expect(idsOf(await get(nextOf(answer), 'meg'))).to.deep.equal(bugs.slice(11));
    expect(pageOf(await artifactsOf('Kept', 'boss', '?limit=50'))).to.deep.equal([50, 0, 10, 50]);
    for (const search of ['limit=51', 'limit=0', 'values=from_table_renderer']) {
      expect((await artifactsOf('Zero', 'meg', `?${search}`)).status, search).to.equal(400);
    }
  });

  it('show values on request', async () => {
    const valuesIn = async (search: string) =>
      bodyOf<ArtifactJson[]>(await artifactsOf('Zero', 'meg', search))[0]!.values;
    expect(await valuesIn('')).to.equal(null);
    expect(await valuesIn('?values=')).to.equal(null);
    expect(await valuesIn('?values=all'))
      .to.be.an('array')
      .that.has.length(4);
  });

  it('give rows of a table on request', async () => {
    for (const [format, owner] of [
      ['flat', ['meg (meg)']],
      ['flat_with_semicolon_string_array', 'meg (meg)'],
    ] as const) {
      const answer = await artifactsOf('Zero', 'meg', `?values=all&output_format=${format}`);
      expect(answer.body).to.deep.equal([{ title: 'Number 0', points: 0, secret: 0, owner }]);
      expect(pageOf(answer)).to.deep.equal([10, 0, 1, 50]);
    }
    const unseen = await artifactsOf('Zero', 'out', '?values=all&output_format=flat');
    expect(unseen.body).to.deep.equal([{ title: 'Number 0', points: 0, owner: ['meg (meg)'] }]);
    const nested = await artifactsOf('Zero', 'meg', '?values=all&output_format=nested');
    expect(nested.body).to.deep.equal((await artifactsOf('Zero', 'meg', '?values=all')).body);
    for (const search of ['output_format=flat', 'output_format=flat&values=', 'output_format=rows&values=all']) {
      expect((await artifactsOf('Zero', 'meg', `?${search}`)).status, search).to.equal(400);
    }
  });

  it('are read as the reader reads the tracker', async () => {
    expect(idsOf(await artifactsOf('Mine', 'meg', '?limit=50'))).to.deep.equal(bugs);
    expect(idsOf(await artifactsOf('Secrets', 'meg', '?limit=50'))).to.deep.equal(bugs.slice(1));
    const answer = await artifactsOf('Secrets', 'out');
    expect(answer.status).to.equal(400);
    expect(bodyOf<ErrorJson>(answer).error.message).to.equal(
      'Bad Request: The report "Secrets" does not fit its tracker as you see it, because of "secret"; ask an administrator of the tracker',
    );
  });

  it('are one over everything where none is named', async () => {
    const id = api.tracker('task');
    const [report, ...others] = await reportsOf('task', 'meg');
    expect(others).to.deep.equal([]);
    expect(report).to.deep.include({ id, label: 'Default', is_public: true, is_default: true });
    expect(bodyOf<ArtifactJson[]>(await get(`/tracker_reports/${id}/artifacts`, 'meg'))).to.have.length(1);
    expect((await get(`/tracker_reports/${api.tracker('bug')}`, 'meg')).status).to.equal(404);
  });

  it('are answered 400 with the name of a field that is gone, and 404 once they are gone', async () => {
    const [zero, mine] = [await idOf('Zero'), await idOf('Mine')];
    await apply(tracker('bug', 'Bugs', '', WITHOUT_POINTS), TASK);
    const answer = await get(`/tracker_reports/${zero}/artifacts`, 'meg');
    expect(answer.status).to.equal(400);
    expect(bodyOf<ErrorJson>(answer).error.message).to.equal(
      'Bad Request: The report "Zero" does not fit its tracker as you see it, because of "points"; ask an administrator of the tracker',
    );
    expect((await get(`/tracker_reports/${zero}`, 'meg')).status).to.equal(200);
    await apply(tracker('bug', 'Bugs', '        reports: [{ name: Mine }]', WITHOUT_POINTS), TASK);
    expect((await reportsOf('bug')).map(({ id }) => id)).to.deep.equal([mine]);
    expect((await get(`/tracker_reports/${zero}`, 'boss')).status).to.equal(404);
  });

  it('that compare with values that are gone tell these to administrators of the tracker alone', async () => {
    const query = `owner = "out" OR points = 1 OR OWNER IN ("gone")`;
    await apply(tracker('bug', 'Bugs', `        reports: [{ name: Left, query: '${query}' }]`), TASK);
    const message = async (as: string): Promise<string> => {
      const answer = await artifactsOf('Left', as);
      expect(answer.status).to.equal(400);
      return bodyOf<ErrorJson>(answer).error.message.replace(/.*as you see it/, '');
    };
    for (const as of ['root', 'boss', 'tess']) {
      expect(await message(as)).to.equal(
        ': line 1, column 1: Field "owner" has no value "out"; use the label of one of its values; ' +
          'line 1, column 32: Field "OWNER" has no value "gone"; use the label of one of its values',
      );
    }
    for (const as of ['meg', 'out']) {
      expect(await message(as)).to.equal(', because of "owner"; ask an administrator of the tracker');
    }
  });
});
