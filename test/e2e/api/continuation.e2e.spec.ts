import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { exchange, type Exchanged } from './exchange.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, idsOf, type ArtifactJson } from './shapes.js';

const TITLES = ['Éclair', 'eclair', 'ZEBRA', 'apple', 'Apple'];

interface Row {
  readonly title: string;
  readonly count: number | null;
  readonly due: string | null;
  readonly kind: string | null;
}

/** Many are alike, and some have no value. */
const ROWS: readonly Row[] = Array.from({ length: 20 }, (_, n) => ({
  title: TITLES[n % 5]!,
  count: n % 4 === 3 ? null : (n % 4) * 10 - 10,
  due: n % 3 === 2 ? null : `2024-02-${27 + (n % 3)}`,
  kind: [null, 'A', 'B'][n % 3] ?? null,
}));

describe('the order of the artifacts of a tracker, and the pages that follow each other', () => {
  let api: RunningService;
  let tracker: number;
  const ids: number[] = [];

  before(async () => {
    const withoutDefaults = PLATFORM_OF_ALL_TYPES.replaceAll(/, default: (3|0\.5|'2024-03-05')/g, '');
    const platform = withoutDefaults.replace('artifact_deletion_limit: 5', 'artifact_deletion_limit: 100');
    api = await runService({ platform });
    tracker = api.tracker('item');
    for (const row of ROWS) ids.push(await create(row));
  });
  after(() => api.stop());

  async function create({ title, count, due, kind }: Row): Promise<number> {
    const values = [
      { field_id: api.field('item', 'title'), value: title },
      ...(count === null ? [] : [{ field_id: api.field('item', 'count'), value: count }]),
      ...(due === null ? [] : [{ field_id: api.field('item', 'due'), value: due }]),
      ...(kind === null
        ? []
        : [{ field_id: api.field('item', 'kind'), bind_value_ids: [api.value('item', 'kind', kind)] }]),
    ];
    const answer = await api.post('/artifacts', { as: 'tim', body: { tracker: { id: tracker }, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return bodyOf<ArtifactJson>(answer).id;
  }

  const at = async (url: string, as = 'tim', body?: unknown): Promise<Exchanged> =>
    exchange('GET', url, { headers: await api.signIn(as), ...(body !== undefined && { body }) });
  const get = (search: string, as?: string, body?: unknown): Promise<Exchanged> =>
    at(`${api.url}/api/trackers/${tracker}/artifacts?${search}`, as, body);
  const next = (answer: Exchanged): string | null =>
    /^<(.+)>; rel="next"$/.exec(answer.header('Link') ?? '')?.[1] ?? null;
  const offsetOf = (answer: Exchanged): number => Number(answer.header('X-PAGINATION-OFFSET'));

  /** As the links lead. */
  async function walk(search: string, { as = 'tim', body, between }: Walk = {}): Promise<readonly number[]> {
    const found: number[] = [];
    let page = await get(search, as, body);
    for (;;) {
      expect(page.status, page.text).to.equal(200);
      expect(offsetOf(page)).to.equal(found.length);
      found.push(...idsOf(page));
      const url = next(page);
      if (url === null) return found;
      await between?.();
      page = await at(url, as, body);
    }
  }

  interface Walk {
    readonly as?: string;
    readonly body?: unknown;
    readonly between?: () => Promise<unknown>;
  }

  const kindIn = ({ kind }: Row): number | null => (kind === null ? null : api.value('item', 'kind', kind));
  const orders: readonly (readonly [name: string, of: (row: Row, n: number) => number | string | null])[] = [
    ['title', ({ title }) => title.toLowerCase()],
    ['count', ({ count }) => count],
    ['due', ({ due }) => due],
    ['kind', kindIn],
    ['aid', (_, n) => ids[n]!],
    ['atid', (_, n) => n],
    ['submitted_by', () => 1],
  ];

  /** What has no value comes last, either way. */
  const compare = (a: number | string | null, b: number | string | null, isUp: boolean): number => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const sign = typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);
    return isUp ? sign : -sign;
  };

  for (const [index, [name, of]] of orders.entries()) {
    it(`is that of ${name}, up and down, and of ids where artifacts are alike`, async () => {
      for (const isUp of [true, false]) {
        const rows = ROWS.map((row, n) => ({ id: ids[n]!, at: of(row, n) }));
        const sort = `sort=${isUp ? '' : '-'}${index % 2 === 0 ? name : api.field('item', name)}`;
        const up = rows.toSorted((a, b) => compare(a.at, b.at, isUp) || a.id - b.id).map(({ id }) => id);
        const down = rows.toSorted((a, b) => compare(a.at, b.at, isUp) || b.id - a.id).map(({ id }) => id);
        expect(idsOf(await get(sort))).to.deep.equal(up);
        expect(idsOf(await get(`${sort}&limit=7&offset=5`))).to.deep.equal(up.slice(5, 12));
        expect(idsOf(await get(`${sort}&order=desc`))).to.deep.equal(down);
        expect(await walk(`${sort}&limit=3`)).to.deep.equal(up);
        expect(await walk(`${sort}&limit=7&order=desc`)).to.deep.equal(down);
      }
    });
  }

  it('is that of the instants of creation', async () => {
    expect(await walk('sort=submitted_on&limit=6')).to.deep.equal(ids);
  });

  it('is that of several fields, one after the other', async () => {
    const rows = ROWS.map((row, n) => ({ id: ids[n]!, ...row }));
    const sorted = rows.toSorted(
      (a, b) => compare(a.due, b.due, false) || compare(a.count, b.count, true) || a.id - b.id,
    );
    expect(await walk('sort=-due,count&limit=4')).to.deep.equal(sorted.map(({ id }) => id));
  });

  it('refuses an unreadable field like an unknown one', async () => {
    expect((await get('sort=inside', 'tim')).status).to.equal(200);
    const [unread, unknown] = [await get('sort=-inside', 'max'), await get('sort=-nothing', 'max')];
    expect(unread.status).to.equal(400);
    expect(unread.text.replaceAll('inside', 'nothing')).to.equal(unknown.text);
    expect(unread.text).to.contain('"pointer":"sort"');
  });

  it('is refused by fields that have none, twice by one, and by more than five', async () => {
    const six = ['title', 'count', 'due', 'kind', 'aid', 'atid'].join();
    for (const sort of ['about', 'tags', 'links', 'files', 'box', 'count,-count', 'count,', '-', six]) {
      const answer = await get(`sort=${sort}`);
      expect([answer.status, answer.text.includes('"pointer":"sort"')], sort).to.deep.equal([400, true]);
    }
    expect(idsOf(await get('sort='))).to.deep.equal(ids);
  });

  it('goes on by a link to the next page, until there is none', async () => {
    expect(await walk('limit=7')).to.deep.equal(ids);
    expect(await walk('limit=5')).to.deep.equal(ids);
    expect(await walk('limit=5&order=desc&values=all')).to.deep.equal(ids.toReversed());
    expect(next(await get('limit=20'))).to.equal(null);
    expect(next(await get('limit=5&offset=15'))).to.equal(null);
    expect(next(await get('limit=5&offset=100'))).to.equal(null);
    const second = await at(next(await get('limit=5&offset=3'))!);
    expect([idsOf(second), offsetOf(second)]).to.deep.equal([ids.slice(8, 13), 8]);
    expect(next(second)).to.contain(`/api/trackers/${tracker}/artifacts?limit=5&cursor=`);
    expect(second.header('X-PAGINATION-SIZE')).to.equal('20');
  });

  it('goes on with the filter, in the address or in the body', async () => {
    const expected = ids.filter((_, n) => ROWS[n]!.count === 0);
    expect(await walk('limit=2&query=%7B%22count%22:0%7D')).to.deep.equal(expected);
    expect(await walk('limit=2', { body: { count: 0 } })).to.deep.equal(expected);
  });

  it('goes on with a long filter that is sent again', async () => {
    const json = JSON.stringify({ aid: { operator: '>', value: 0 }, title: 'e'.padEnd(1000) }).padEnd(2000);
    const filter = `query=${encodeURIComponent(json)}`;
    const first = await get(`limit=3&${filter}`);
    const link = first.header('Link')!;
    expect(link).to.have.lengthOf.below(300);
    const url = next(first)!;
    expect((await at(url)).status).to.equal(400);
    const found = ids.filter((_, n) => ROWS[n]!.title.normalize('NFD').toLowerCase().includes('e'));
    expect(idsOf(await at(`${url}&${filter}`)))
      .to.have.lengthOf(3)
      .and.to.not.include(found[0]);
  });

  it('refuses a cursor of another list, filter, order or reader', async () => {
    const url = next(await get('limit=2&query=%7B%22count%22:0%7D'))!;
    const cursor = new URL(url).searchParams.get('cursor')!;
    const refused = async (answer: Promise<Exchanged>, name: string): Promise<void> => {
      const { status, text } = await answer;
      expect([status, text.includes('"pointer":"cursor"')], name).to.deep.equal([400, true]);
    };
    expect((await at(url)).status).to.equal(200);
    expect((await at(url.replace('/api/', '/api/v1/').replace('limit=2', 'limit=9'))).status).to.equal(200);
    await refused(get(`cursor=${cursor}`), 'without the filter');
    await refused(at(url.replace('count', 'ratio')), 'another filter');
    await refused(at(`${url}&sort=count`), 'another order');
    await refused(at(url.replace(`/trackers/${tracker}/`, `/trackers/${api.tracker('veiled')}/`)), 'another list');
    await refused(at(url, 'pam'), 'another reader');
    await refused(at(url, 'tim', { count: 0 }), 'a body');
    await refused(at(`${api.url}/api/projects?cursor=${cursor}`), 'another kind of list');
    for (const text of ['x', 'AAAA', `${cursor}A`, cursor.slice(0, -2), `${cursor}=`, cursor.toLowerCase(), ' ']) {
      await refused(at(url.replace(cursor, encodeURIComponent(text))), text);
    }
    for (let n = 0; n < cursor.length; n += 1) {
      const changed = `${cursor.slice(0, n)}${cursor[n] === 'A' ? 'B' : 'A'}${cursor.slice(n + 1)}`;
      await refused(at(url.replace(cursor, changed)), `${n}`);
    }
    expect((await at(`${url}&offset=5`)).status).to.equal(400);
    expect((await get('cursor=')).status).to.equal(400);
  });

  it('gives each artifact that matches throughout exactly once, under concurrent writes', async () => {
    const gone: number[] = [];
    const late: number[] = [];
    const change = async (id: number) => {
      const values = [{ field_id: api.field('item', 'title'), value: `Changed ${late.length}` }];
      expect((await api.put(`/artifacts/${id}`, { as: 'tim', body: { values } })).status).to.equal(200);
    };
    const writes = async () => {
      // Descending, the walk has passed the last, and not the first.
      for (const id of [gone.shift(), gone.pop()]) {
        if (id === undefined) continue;
        const { status, body } = await api.request('DELETE', `/artifacts/${id}`, { as: 'tim' });
        expect(status, JSON.stringify(body)).to.equal(200);
      }
      late.push(await create(ROWS[0]!));
      await change(ids[late.length % ids.length]!);
    };
    for (const order of ['asc', 'desc']) {
      for (let n = 0; n < 12; n += 1) gone.push(await create(ROWS[n]!));
      const found = await walk(`limit=3&order=${order}`, { between: writes });
      expect(found.filter((id) => ids.includes(id))).to.deep.equal(order === 'asc' ? ids : ids.toReversed());
      expect(new Set(found).size).to.equal(found.length);
    }
  });
});
