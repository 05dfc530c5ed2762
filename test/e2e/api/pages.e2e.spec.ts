import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { exchange, type Exchanged } from './exchange.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, idsOf, type ArtifactJson } from './shapes.js';

const HEADERS = ['X-PAGINATION-LIMIT', 'X-PAGINATION-OFFSET', 'X-PAGINATION-SIZE', 'X-PAGINATION-LIMIT-MAX'];

interface Paginated {
  readonly path: string;
  readonly limit: number;
  readonly max: number;
  /** 0 unless told otherwise. */
  readonly min?: number;
  /** Other parameters that the route asks for. */
  readonly search?: string;
}

/** Every paginated route of the service, those that may not be served yet included. */
const ROUTES: readonly Paginated[] = [
  { path: '/projects', limit: 10, max: 50 },
  { path: '/projects/{id}/trackers', limit: 10, max: 50 },
  { path: '/projects/{id}/svn', limit: 10, max: 50 },
  { path: '/trackers/{id}/artifacts', limit: 100, min: 1, max: 1000 },
  { path: '/trackers/{id}/tracker_reports', limit: 10, min: 1, max: 1000 },
  { path: '/tracker_reports/{id}/artifacts', limit: 10, min: 1, max: 50 },
  { path: '/trackers/{id}/used_artifact_links', limit: 100, min: 1, max: 1000 },
  { path: '/trackers/{id}/parent_artifacts', limit: 100, min: 1, max: 1000 },
  { path: '/projects/{id}/user_groups', limit: 100, max: 1000 },
  { path: '/tracker_fields/{id}/values', limit: 100, max: 1000 },
  { path: '/artifacts', limit: 100, min: 1, max: 100, search: 'query=%7B%22id%22:[101,102]%7D' },
  { path: '/artifacts/{id}/changesets', limit: 10, min: 1, max: 50 },
  { path: '/artifacts/{id}/linked_artifacts', limit: 10, min: 1, max: 50, search: 'direction=forward' },
  { path: '/artifacts/{id}/history', limit: 50, max: 1000 },
  { path: '/artifact_temporary_files', limit: 10, max: 50 },
  { path: '/users', limit: 10, max: 50, search: 'query=Smith' },
  { path: '/users/{id}/access_keys', limit: 50, max: 50 },
  { path: '/user_groups/{id}/users', limit: 10, max: 50 },
];

/** The groups that may read an artifact, by its turn; by whom it is read is told below. */
const READERS: readonly (readonly string[])[] = [[], ['101_3'], ['testers'], ['101_4'], ['2'], ['testers', '101_4']];

/** Which of these turns each reader sees; undefined is anonymous. */
const SEEN: readonly [string | undefined, readonly number[]][] = [
  ['root', [0, 1, 2, 3, 4, 5]],
  ['pam', [0, 1, 2, 3, 4, 5]],
  ['tim', [0, 1, 2, 3, 4, 5]],
  ['meg', [0, 1, 2, 4, 5]],
  ['sam', [0, 2, 4, 5]],
  ['max', [0, 4]],
  [undefined, [0]],
];

describe('pages', () => {
  let api: RunningService;
  let tracker: number;
  let testers: number;
  let served: readonly string[];
  const ids: number[] = [];

  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    tracker = api.tracker('item');
    const { groups } = api.service.definitions.projectNamed('open')!;
    testers = groups.find(({ shortName }) => shortName === 'testers')!.id;
    for (let n = 0; n < 48; n += 1) ids.push(await create(READERS[n % READERS.length], n % 3));
    const { paths } = bodyOf<{ paths: Record<string, object> }>(await api.get('/openapi.json'));
    served = Object.keys(paths);
  });
  after(() => api.stop());

  async function create(readers: readonly string[] = [], count = 0): Promise<number> {
    const of = (name: string, value: unknown) => ({ field_id: api.field('item', name), value });
    const granted = readers.map((group) => (group === 'testers' ? String(testers) : group));
    const values = [of('title', 'An item'), of('count', count), of('readers', { granted_groups: granted })];
    const answer = await api.post('/artifacts', { as: 'tim', body: { tracker: { id: tracker }, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return bodyOf<ArtifactJson>(answer).id;
  }

  const get = async (path: string, as?: string): Promise<Exchanged> =>
    exchange('GET', `${api.url}/api${path}`, { headers: as === undefined ? {} : await api.signIn(as) });
  const numbers = (answer: Exchanged) => HEADERS.map((name) => Number(answer.header(name)));
  const idFor: Readonly<Record<string, () => string | number>> = {
    artifacts: () => ids[0]!,
    trackers: () => tracker,
    tracker_reports: () => tracker,
    projects: () => 101,
    tracker_fields: () => api.field('item', 'tags'),
    user_groups: () => '101_3',
    users: () => 'self',
  };
  const addressOf = ({ path, search = '' }: Paginated): string =>
    `${path.replace('{id}', () => String(idFor[path.split('/')[1]!]!()))}?${search}&`;
  const isServed = ({ path }: Paginated): boolean => served.includes(path);

  it('are described for every route that has them', async () => {
    const described = bodyOf<{
      paths: Record<string, Record<string, { parameters?: { name: string; schema: object }[] }>>;
    }>(await api.get('/openapi.json')).paths;
    const paginated = Object.entries(described).filter(([, { get: operation }]) =>
      (operation?.parameters ?? []).some(({ name }) => name === 'limit'),
    );
    const collections = paginated.filter(([path]) => !/_files\/\{id\}$/.test(path));
    expect(ROUTES.map(({ path }) => path)).to.include.members(collections.map(([path]) => path));
    for (const route of ROUTES.filter(isServed)) {
      const parameters = described[route.path]?.['get']?.parameters ?? [];
      expect(parameters.find(({ name }) => name === 'limit')?.schema, route.path).to.include({
        default: route.limit,
        minimum: route.min ?? 0,
        maximum: route.max,
      });
      expect(parameters.find(({ name }) => name === 'offset')?.schema, route.path).to.include({
        default: 0,
        minimum: 0,
      });
    }
  });

  it('carry all four headers, spelled as the contract spells them', async () => {
    for (const route of ROUTES.filter(isServed)) {
      const answer = await get(addressOf(route), 'root');
      expect(answer.status, route.path).to.equal(200);
      expect(answer.names).to.include.members(HEADERS);
      const [limit, offset, size, max] = numbers(answer);
      expect([limit, offset, max], route.path).to.deep.equal([route.limit, 0, route.max]);
      expect(size, route.path).to.be.at.least(0);
    }
  });

  it('take limits up to their maximum and refuse all else, naming the parameter', async () => {
    for (const route of ROUTES.filter(isServed)) {
      const address = addressOf(route);
      expect(numbers(await get(`${address}limit=${route.max}`, 'root'))[0]).to.equal(route.max);
      const bad = [String(route.max + 1), '-1', 'NaN', '1e3', 'x', '', '1.5', '0x10', '99999999999999999999'];
      for (const search of [...bad.map((value) => `limit=${value}`), 'limit=1&limit=2']) {
        const answer = await get(address + search, 'root');
        expect([answer.status, answer.text.includes('limit')], `${route.path} ${search}`).to.deep.equal([400, true]);
        expect(answer.names).not.to.include('X-PAGINATION-SIZE');
      }
      for (const search of ['offset=-1', 'offset=NaN', 'offset=1e3', 'offset=', 'offset=1&offset=1']) {
        const answer = await get(address + search, 'root');
        expect([answer.status, answer.text.includes('offset')], `${route.path} ${search}`).to.deep.equal([400, true]);
      }
    }
  });

  it('are asked for with a limit of 0 where Tuleap takes it, for their headers alone, and refuse it elsewhere', async () => {
    for (const route of ROUTES.filter(isServed)) {
      const answer = await get(`${addressOf(route)}limit=0`, 'root');
      if (route.min === 1) {
        expect([answer.status, answer.text.includes('limit')], route.path).to.deep.equal([400, true]);
        continue;
      }
      expect(answer.status, route.path).to.equal(200);
      expect(answer.text).to.be.oneOf(['[]', '{"repositories":[]}']);
      expect(numbers(answer)[0], route.path).to.equal(0);
      expect(answer.names, route.path).not.to.include('Link');
    }
  });

  it('are empty past the end, with the right size', async () => {
    for (const route of ROUTES.filter(isServed)) {
      const size = numbers(await get(addressOf(route), 'root'))[2];
      for (const offset of [size, 5000, Number.MAX_SAFE_INTEGER]) {
        const answer = await get(`${addressOf(route)}limit=2&offset=${offset!}`, 'root');
        expect(answer.status, route.path).to.equal(200);
        expect(answer.text).to.be.oneOf(['[]', '{"collection":[]}', '{"repositories":[]}']);
        expect(numbers(answer), route.path).to.deep.equal([2, offset, size, route.max]);
      }
    }
  });

  it('lead to the next one by a link, which the last one has not', async () => {
    for (const route of ROUTES.filter(isServed)) {
      const address = addressOf(route);
      const size = numbers(await get(address, 'root'))[2]!;
      let link: string | undefined;
      for (let before = 0; before < Math.max(1, Math.min(size, 5)); before += 1) {
        const path: string = link === undefined ? `${address}limit=1` : link.replace(`${api.url}/api`, '');
        const page = await get(path, 'root');
        const usual = await get(`${address}limit=1&offset=${before}`, 'root');
        expect([page.status, page.text, numbers(page)], path).to.deep.equal([200, usual.text, numbers(usual)]);
        link = /^<(.+)>; rel="next"$/.exec(page.header('Link') ?? '')?.[1];
        expect(link !== undefined, `${route.path} ${before}`).to.equal(before + 1 < size);
      }
      expect((await get(`${address}cursor=AAAA`, 'root')).status, route.path).to.equal(400);
    }
  });

  it('follow each other without gap or overlap, in both directions', async () => {
    const address = `/trackers/${tracker}/artifacts?`;
    expect(idsOf(await get(`${address}limit=7&offset=3`, 'root'))).to.deep.equal(ids.slice(3, 10));
    expect(idsOf(await get(`${address}order=desc&limit=7&offset=3`, 'root'))).to.deep.equal(
      ids.toReversed().slice(3, 10),
    );
    expect((await get(`${address}order=up`, 'root')).status).to.equal(400);
    expect((await get(`${address}values=some`, 'root')).status).to.equal(400);
    expect(bodyOf<ArtifactJson[]>(await get(`${address}limit=1`))[0]!.values).to.equal(null);
    expect(bodyOf<ArtifactJson[]>(await get(`${address}limit=1&values=all`))[0]!.values).to.be.an('array');
  });

  /** All pages of a collection, and the size that each of them told. */
  async function walk(address: string, limit: number, as?: string, between?: () => Promise<unknown>) {
    const found: number[] = [];
    const sizes: number[] = [];
    for (let offset = 0, more = true; more; offset += limit) {
      const page = await get(`${address}limit=${limit}&offset=${offset}`, as);
      expect(page.status, page.text).to.equal(200);
      const size = numbers(page)[2]!;
      sizes.push(size);
      found.push(...idsOf(page));
      more = offset + limit < size;
      if (more) expect(idsOf(page)).to.have.lengthOf(limit);
      await between?.();
    }
    return { found, sizes };
  }

  for (const [as, turns] of SEEN) {
    const seen = () => ids.filter((_, n) => turns.includes(n % READERS.length));

    it(`are full for ${as ?? 'anonymous readers'}, and count only what these may see`, async () => {
      for (const order of ['asc', 'desc']) {
        const { found, sizes } = await walk(`/trackers/${tracker}/artifacts?order=${order}&`, 5, as);
        expect(found).to.deep.equal(order === 'asc' ? seen() : seen().toReversed());
        expect(new Set(sizes)).to.deep.equal(new Set([seen().length]));
      }
      const query = encodeURIComponent(JSON.stringify({ count: '>=1' }));
      const filtered = await walk(`/trackers/${tracker}/artifacts?query=${query}&`, 3, as);
      expect(filtered.found).to.deep.equal(seen().filter((id) => ids.indexOf(id) % 3 >= 1));
      expect(numbers(await get(`/trackers/${tracker}/artifacts?limit=1`, as))).to.deep.equal([
        1,
        0,
        seen().length,
        1000,
      ]);
    });

    it(`hold of artifacts by id what ${as ?? 'anonymous readers'} may see`, async () => {
      const query = encodeURIComponent(JSON.stringify({ id: [...ids.slice(0, 20), 999_999] }));
      const answer = await get(`/artifacts?limit=4&offset=1&query=${query}`, as);
      const visible = seen().filter((id) => ids.indexOf(id) < 20);
      const { collection } = bodyOf<{ collection: ArtifactJson[] }>(answer);
      expect(collection.map(({ id }) => id)).to.deep.equal(visible.slice(1, 5));
      expect(numbers(answer)).to.deep.equal([4, 1, visible.length, 100]);
    });
  }

  it('show each artifact once to who walks them while others are created', async () => {
    const created: number[] = [];
    const { found } = await walk(`/trackers/${tracker}/artifacts?`, 4, 'pam', async () => {
      if (created.length < 12) created.push(await create(), await create());
    });
    expect(found).to.deep.equal([...ids, ...created]);
  });

  it('of projects count only those within reach', async () => {
    const sizes = [];
    for (const as of ['root', 'max', 'tim', undefined]) sizes.push(numbers(await get('/projects?limit=1', as))[2]);
    expect(sizes).to.deep.equal([2, 2, 1, 1]);
    const statuses = [];
    for (const as of ['root', 'max', 'tim', undefined]) {
      for (const name of ['case', 'ice'])
        statuses.push((await get(`/trackers/${api.tracker(name)}/artifacts`, as)).status);
    }
    expect(statuses).to.deep.equal([200, 200, 200, 403, 403, 403, 403, 403]);
  });

  it('of trackers count only those within reach', async () => {
    const sizes = [];
    for (const as of ['root', 'meg', 'max', undefined]) {
      sizes.push(numbers(await get('/projects/101/trackers?limit=1', as))[2]);
    }
    expect(sizes).to.deep.equal([4, 3, 2, 2]);
  });
});
