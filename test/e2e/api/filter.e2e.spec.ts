import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { exchange, type Exchanged } from './exchange.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, idsOf, type ArtifactJson, type TrackerJson } from './shapes.js';

interface Row {
  readonly title: string;
  readonly about: string;
  readonly count: number | null;
  readonly ratio: number | null;
  readonly due: string | null;
  readonly meeting: string | null;
  readonly status: 'New' | 'Done';
  readonly systems: readonly string[];
  readonly helpers: readonly string[];
  readonly team: readonly string[];
  readonly tags: readonly string[];
  readonly watchers: readonly string[];
  readonly crews: readonly string[];
  readonly by: string;
}

const TITLES = [
  'Crash on start',
  'Straße gesperrt',
  'ÉCOLE fermée',
  '100% _done_ \\o/',
  '日本語 のタイトル',
  'e\u0301clair 🚀 rocket',
];

/** Values that fall together in many ways: each cycles with a length of its own. */
const ROWS: readonly Row[] = Array.from({ length: 60 }, (_, n) => ({
  title: `${TITLES[n % 6]!} #${n}`,
  about: ['plain words', 'Other **bold** words', ''][n % 3]!,
  count: n % 7 === 6 ? null : (n % 7) * 5 - 10,
  ratio: n % 5 === 4 ? null : (n % 5) * 0.25 - 0.5,
  due: n % 4 === 3 ? null : `2024-02-${27 + (n % 3)}`,
  meeting: n % 4 === 2 ? null : `2024-03-0${1 + (n % 3)}T${n % 2 === 0 ? '00:00' : '23:59'}:00Z`,
  status: n % 3 === 0 ? 'Done' : 'New',
  systems: [['Linux'], ['Linux', 'macOS'], [], ['BeOS']][n % 4]!,
  helpers: [['meg'], ['sam', 'meg'], []][n % 3]!,
  team: [['101_3'], [], ['testers']][n % 3]!,
  tags: [['urgent'], ['own', 'later'], ['OWN'], []][n % 4]!,
  watchers: [['sam'], [], ['nobody@example.org']][n % 3]!,
  crews: [['testers'], ['project_admins'], []][n % 3]!,
  by: n % 2 === 0 ? 'tim' : 'pam',
}));

const DAY_1 = '2024-03-01';

describe('the filter of a tracker’s artifacts', () => {
  let api: RunningService;
  let url: string;
  const ids: number[] = [];
  const openValues = new Map<string, string>();

  before(async () => {
    const withoutDefaults = PLATFORM_OF_ALL_TYPES.replaceAll(/, default: (3|0\.5|'2024-03-05')/g, '');
    api = await runService({ platform: withoutDefaults });
    url = `${api.url}/api/trackers/${api.tracker('item')}/artifacts`;
    for (const row of ROWS) await create(row);
    const { fields } = bodyOf<TrackerJson>(await api.get(`/trackers/${api.tracker('item')}`));
    for (const { id, label } of fields.find(({ name }) => name === 'tags')?.values ?? []) {
      openValues.set(label, String(id));
    }
  });
  after(() => api.stop());

  const valueIds = (field: string, labels: readonly string[]) => labels.map((label) => api.value('item', field, label));
  const group = (name: string): string => (name === 'testers' ? String(testers()) : name);
  const testers = (): number =>
    api.service.definitions.projectNamed('open')!.groups.find(({ shortName }) => shortName === 'testers')!.id;

  async function create(row: Row): Promise<void> {
    const of = (name: string, value: object) => ({ field_id: api.field('item', name), ...value });
    const { helpers, team, tags, watchers, crews } = row;
    const crewNames = crews.map((name) => ({ short_name: name }));
    const values = [
      ...(['title', 'about', 'count', 'ratio', 'due', 'meeting'] as const).map((name) =>
        of(name, { value: row[name] }),
      ),
      of('status_id', { bind_value_ids: valueIds('status_id', [row.status]) }),
      of('systems', { bind_value_ids: valueIds('systems', row.systems) }),
      of('helpers', { bind_value_ids: helpers.map((name) => api.user(name)) }),
      of('team', { bind_value_ids: team.map(group) }),
      of('tags', { bind_value_ids: tags }),
      of('watchers', { bind_value_ids: watchers }),
      of('crews', { value: { bind_value_objects: crewNames } }),
    ];
    const answer = await api.post('/artifacts', { as: row.by, body: { tracker: { id: api.tracker('item') }, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    ids.push(bodyOf<ArtifactJson>(answer).id);
  }

  const asBody = async (filter: unknown, more = ''): Promise<Exchanged> =>
    exchange('GET', `${url}?limit=1000${more}`, { body: filter, headers: await api.signIn('tim') });
  const asQuery = async (filter: unknown): Promise<Exchanged> =>
    exchange('GET', `${url}?limit=1000&query=${encodeURIComponent(JSON.stringify(filter))}`, {
      headers: await api.signIn('tim'),
    });

  /** Both ways to give a filter, and the total, agree with a look at the rows. */
  async function expectRows(filter: object, matches: (row: Row, n: number) => boolean): Promise<void> {
    const expected = ids.filter((_, n) => matches(ROWS[n]!, n));
    for (const answer of [await asBody(filter), await asQuery(filter)]) {
      expect(answer.status, answer.text).to.equal(200);
      expect(idsOf(answer), JSON.stringify(filter)).to.deep.equal(expected);
      expect(answer.header('X-PAGINATION-SIZE')).to.equal(String(expected.length));
    }
  }

  const has = (text: string) => (row: Row) =>
    row.title.normalize('NFC').toLowerCase().includes(text.normalize('NFC').toLowerCase());
  const contains = (value: unknown) => ({ operator: 'contains', value });

  it('takes the example of the contract: the status by the id of its value, as a text', async () => {
    const [done] = valueIds('status_id', ['Done']);
    await expectRows({ status_id: { operator: 'contains', value: String(done) } }, ({ status }) => status === 'Done');
    await expectRows({ status_id: done }, ({ status }) => status === 'Done');
    await expectRows({ [api.field('item', 'status_id')]: [done] }, ({ status }) => status === 'Done');
  });

  it('returns all artifacts if it is empty', async () => {
    const headers = await api.signIn('tim');
    for (const query of ['', '?query=', '?query=%20', '?query=%7B%7D', '?query=[]', '?expert_query=', '?values=']) {
      const answer = await exchange('GET', `${url}${query}`, { headers });
      expect(answer.header('X-PAGINATION-SIZE'), query).to.equal('60');
    }
    for (const body of ['{}', '[]', '']) {
      expect((await exchange('GET', url, { headers, body })).header('X-PAGINATION-SIZE'), body).to.equal('60');
    }
    await expectRows({ title: '', status_id: [], due: contains(' '), kind: [100], tags: '100' }, () => true);
  });

  it('finds texts that hold all words, in any case', async () => {
    for (const text of [
      'crash',
      'STRASSE',
      'straße',
      'école FERMÉE',
      '日本',
      '% _',
      '\\O/',
      'éclair',
      'e\u0301clair',
      '🚀',
      '%',
    ]) {
      await expectRows({ title: text }, (row) => text.split(' ').every((word) => has(word)(row)));
    }
    await expectRows({ title: contains('start  CRASH\t#0') }, (row) => has('crash')(row) && has('#0')(row));
    await expectRows({ title: 42 }, has('42'));
    await expectRows({ about: 'WORDS other' }, ({ about }) => about.startsWith('Other'));
    await expectRows({ about: '**bold' }, ({ about }) => about.startsWith('Other'));
  });

  it('compares numbers', async () => {
    const all: [unknown, (n: number) => boolean][] = [
      [5, (n) => n === 5],
      ['5', (n) => n === 5],
      [0, (n) => n === 0],
      ['<5', (n) => n < 5],
      ['> -5', (n) => n > -5],
      ['<=5', (n) => n <= 5],
      ['>=5', (n) => n >= 5],
      ['-5 - 5', (n) => n >= -5 && n <= 5],
      ['-10--5', (n) => n >= -10 && n <= -5],
      ['9 - 1', () => false],
      ['5.5', () => false],
    ];
    for (const [value, matches] of all) {
      await expectRows({ count: contains(value) }, ({ count }) => count !== null && matches(count));
    }
    await expectRows({ ratio: -0.25 }, ({ ratio }) => ratio === -0.25);
    await expectRows({ ratio: '-0.5 - 0' }, ({ ratio }) => ratio !== null && ratio <= 0);
    await expectRows({ ratio: '>=2.5e-1' }, ({ ratio }) => ratio !== null && ratio >= 0.25);
    await expectRows({ aid: ids[7] }, (_, n) => n === 7);
    await expectRows({ aid: `>${ids[50]!}` }, (_, n) => n > 50);
    await expectRows({ atid: '1 - 3' }, (_, n) => n < 3);
  });

  it('compares an instant to the second, and a date as a day', async () => {
    const day = (date: string): string => date.slice(0, 10);
    const dates = (field: 'due' | 'meeting') => (operator: string, value: unknown, rule: (date: string) => boolean) =>
      expectRows({ [field]: { operator, value } }, (row) => row[field] !== null && rule(row[field]));
    const due = dates('due');
    for (const operator of ['=', 'contains']) {
      await due(operator, '2024-02-28', (date) => date === '2024-02-28');
      await due(operator, ['2024-02-28T02:00:00+02:00'], (date) => date === '2024-02-28');
      await due(operator, '2024-02-28T17:00:00+02:00', () => false);
    }
    await due('<', '2024-02-28', (date) => date < '2024-02-28');
    await due('>', '2024-02-28', (date) => date > '2024-02-28');
    await due('>', '2024-02-27T12:00:00Z', (date) => date > '2024-02-27');
    await due('between', ['2024-02-27', '2024-02-28'], (date) => date <= '2024-02-28');
    await expectRows({ meeting: DAY_1 }, ({ meeting }) => meeting?.startsWith(DAY_1) === true);

    const meets = dates('meeting');
    const end = '2024-03-02T23:59:00Z';
    await meets('=', end, (date) => date === end);
    await meets('contains', '2024-03-03T01:59:00+02:00', (date) => date === end);
    await meets('=', '2024-03-02', (date) => day(date) === '2024-03-02');
    await meets('<', end, (date) => date < end);
    await meets('<', '2024-03-02', (date) => day(date) < '2024-03-02');
    await meets('>', `${DAY_1}T01:00:00Z`, (date) => date > `${DAY_1}T01:00`);
    await meets('>', '2024-03-02', (date) => day(date) > '2024-03-02');
    await meets('between', [`${DAY_1}T23:59:00Z`, end], (date) => date >= `${DAY_1}T23:59:00Z` && date <= end);
    await meets('between', ['2024-03-02', '2024-03-02T12:00:00Z'], (date) => date === '2024-03-02T00:00:00Z');
    await meets('between', ['2024-03-02T12:00:00Z', '2024-03-03'], (date) => date > '2024-03-02T12:00:00Z');
  });

  it('finds any of the values of a list, however they are written', async () => {
    const [linux, mac, be] = valueIds('systems', ['Linux', 'macOS', 'BeOS']);
    await expectRows({ systems: linux }, ({ systems }) => systems.includes('Linux'));
    await expectRows({ systems: contains([mac, String(be)]) }, ({ systems }) =>
      systems.some((name) => name !== 'Linux'),
    );
    await expectRows({ systems: [100, be] }, ({ systems }) => systems.includes('BeOS'));
    await expectRows({ systems: 999_999 }, () => false);
    await expectRows({ helpers: api.user('sam') }, ({ helpers }) => helpers.includes('sam'));
    await expectRows({ owner: String(api.user('tim')) }, () => true);
    for (const members of ['101_3', 3, '3']) await expectRows({ team: members }, ({ team }) => team.includes('101_3'));
    await expectRows({ team: testers() }, ({ team }) => team.includes('testers'));
    await expectRows({ submitted_by: api.user('pam') }, ({ by }) => by === 'pam');
    await expectRows({ updated_by: [api.user('pam'), api.user('tim')] }, () => true);
  });

  it('finds values of open lists, also labels that users added', async () => {
    const urgent = openValues.get('urgent');
    const own = openValues.get('own');
    expect(own).to.match(/^o\d+$/);
    await expectRows({ tags: Number(urgent) }, ({ tags }) => tags.includes('urgent'));
    await expectRows({ tags: [`b${urgent!}`, own] }, ({ tags }) => tags.some((tag) => ['urgent', 'own'].includes(tag)));
    await expectRows({ tags: openValues.get('OWN') ?? own }, ({ tags }) =>
      tags.includes(openValues.has('OWN') ? 'OWN' : 'own'),
    );
    await expectRows({ watchers: api.user('sam') }, ({ watchers }) => watchers.includes('sam'));
    await expectRows({ watchers: 'o1' }, ({ watchers }) => watchers.includes('nobody@example.org'));
    await expectRows({ crews: testers() }, ({ crews }) => crews.includes('testers'));
    for (const admins of ['101_4', 4, 'b4'])
      await expectRows({ crews: admins }, ({ crews }) => crews.includes('project_admins'));
  });

  it('finds when artifacts were submitted and changed', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await expectRows({ submitted_on: { operator: '>', value: '2020-01-01' } }, () => true);
    await expectRows({ updated_on: { operator: 'between', value: ['2020-01-01', today] } }, () => true);
    await expectRows({ updated_on: { operator: '<', value: '2020-01-01' } }, () => false);
    const instant = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toISOString();
    await expectRows({ updated_on: { operator: '>', value: instant(-3600) } }, () => true);
    await expectRows({ updated_on: { operator: '>', value: instant(3600) } }, () => false);
    await expectRows({ updated_on: { operator: 'between', value: [instant(-3600), instant(3600)] } }, () => true);
    await expectRows({ submitted_on: { operator: 'between', value: [instant(-7200), instant(-3600)] } }, () => false);
    await expectRows({ submitted_on: { operator: '=', value: instant(-3600) } }, () => false);
  });

  it('joins its criteria by AND', async () => {
    const [done] = valueIds('status_id', ['Done']);
    await expectRows(
      { status_id: done, count: '>0', title: 'crash', due: '2024-02-27' },
      (row) => row.status === 'Done' && (row.count ?? 0) > 0 && has('crash')(row) && row.due === '2024-02-27',
    );
  });

  it('counts an artifact with several of the values once, on every page', async () => {
    const matches = ({ count, systems }: Row): boolean => count === 5 && systems.length > 0;
    const expected = ids.filter((_, n) => matches(ROWS[n]!));
    const filter = { count: 5, systems: valueIds('systems', ['Linux', 'macOS', 'BeOS']) };
    for (let offset = 0; offset <= expected.length; offset += 1) {
      const answer = await asBody(filter, `&offset=${offset}`);
      expect(idsOf(answer), `offset ${offset}`).to.deep.equal(expected.slice(offset));
      expect(answer.header('X-PAGINATION-SIZE'), `offset ${offset}`).to.equal(String(expected.length));
    }
  });

  it('answers for a field that the reader may not read as for one that does not exist', async () => {
    const wordsOf = async (name: string) => {
      const { status, text } = await asBody({ [name]: { operator: 'odd', value: {} }, count: 5 });
      return { status, text: text.replaceAll(name, 'NAME') };
    };
    const unknown = await wordsOf('never_defined');
    expect(unknown.status).to.equal(400);
    expect(await wordsOf('hidden_status')).to.deep.equal(unknown);
    expect(await wordsOf(String(api.field('item', 'hidden_status')))).to.deep.equal(unknown);
  });
});
