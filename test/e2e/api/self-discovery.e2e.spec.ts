import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, type ArtifactJson, type ProjectJson, type TrackerJson } from './shapes.js';

const READERS = ['root', 'pam', 'tim', 'max', undefined];

describe('self-discovery', () => {
  let api: RunningService;
  const uriOf: string[] = [];

  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    await createItems();
  });
  after(() => api.stop());

  async function create(tracker: string, values: readonly object[], as: string): Promise<number> {
    const answer = await api.post('/artifacts', { as, body: { tracker: { id: api.tracker(tracker) }, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    uriOf.push(answer.headers.get('location') ?? '');
    return bodyOf<ArtifactJson>(answer).id;
  }

  const item = (name: string, value: object) => ({ field_id: api.field('item', name), ...value });

  async function createItems(): Promise<void> {
    const closed = await create('case', [{ field_id: api.field('case', 'title'), value: 'Secret' }], 'max');
    const child = await create('item', [item('title', { value: 'Child' })], 'tim');
    await create(
      'item',
      [
        item('title', { value: 'Parent' }),
        item('owner', { bind_value_ids: [api.user('meg')] }),
        item('team', { bind_value_ids: ['101_3'] }),
        item('watchers', { bind_value_ids: ['sam', 'other@example.org'] }),
        item('crews', { value: { bind_value_objects: [{ short_name: 'testers' }] } }),
        item('tags', { bind_value_ids: ['urgent', 'brand new'] }),
        item('links', { links: [{ id: child, type: '_is_child' }] }),
        item('readers', { value: { granted_groups: ['101_3'] } }),
      ],
      'tim',
    );
    await create('case', [{ field_id: api.field('case', 'title'), value: 'Other' }], 'max');
    expect(closed).to.be.a('number');
  }

  const resource = ({ resources }: Pick<ProjectJson, 'resources'>, type: string): string => {
    const found = resources.find((each) => each.type === type);
    expect(found, type).not.to.equal(undefined);
    return `/${found!.uri}`;
  };

  it('begins at the prefix, where an index names the resources that are there', async () => {
    for (const prefix of ['/api', '/api/', '/api/v1']) {
      const index = await fetch(`${api.url}${prefix}`);
      expect(index.status, prefix).to.equal(200);
      const { resources } = (await index.json()) as Pick<ProjectJson, 'resources'>;
      expect(resources.map(({ type }) => type)).to.include.members(['projects', 'artifacts', 'users', 'description']);
      for (const { uri } of resources) {
        const { status } = await fetch(`${api.url}${prefix.replace(/\/$/, '')}/${uri}`);
        expect(status, uri).to.be.oneOf([200, 400, 401]);
      }
    }
  });

  it('leads from the projects to a tracker, its structure and its artifacts', async () => {
    const projects = bodyOf<ProjectJson[]>(await api.get('/projects'));
    const open = projects.find(({ shortname }) => shortname === 'open')!;
    expect(open.resources[0]?.type).to.equal('trackers');
    const trackers = bodyOf<TrackerJson[]>(await api.get(resource(open, 'trackers')));
    const items = trackers.find((tracker) => tracker.item_name === 'item')!;
    const answer = await api.get(`/${items.uri}`);
    expect(answer.status).to.equal(200);
    const structure = bodyOf<TrackerJson>(answer);
    expect(structure).to.deep.equal(items);
    expect(structure.resources[0]?.type).to.equal('artifacts');

    const field = structure.fields.find(({ name }) => name === 'status_id');
    const isNew = field?.values?.find(({ label }) => label === 'New')?.id;
    const filter = encodeURIComponent(JSON.stringify({ status_id: { operator: 'contains', value: String(isNew) } }));
    const found = bodyOf<ArtifactJson[]>(await api.get(`${resource(structure, 'artifacts')}?query=${filter}`));
    expect(found.map(({ title }) => title)).to.deep.equal(['Child']);
    expect((await api.get(`/${found[0]!.uri}`)).body).to.include({ title: 'Child' });
  });

  for (const as of READERS) {
    it(`gives ${as ?? 'anonymous readers'} no address that leads nowhere`, async () => {
      const dead: string[] = [];
      const seen = new Set<string>();
      const next = ['projects', 'users/?query=smith'];
      for (let uri = next.pop(); uri !== undefined; uri = next.pop()) {
        if (seen.has(uri)) continue;
        seen.add(uri);
        const answer = await api.get(`/${uri}`, as === undefined ? {} : { as });
        const { status } = answer;
        if ([404, 405].includes(status) || status >= 500) dead.push(`${uri}: ${status}`);
        if (status === 200) next.push(...urisIn(bodyOf(answer)));
      }
      expect(dead).to.deep.equal([]);
      expect([...seen].filter((uri) => /^artifacts\/\d+\/changesets$/.test(uri))).to.have.length.above(0);
      expect([...seen].filter((uri) => /^user_groups\/.*\/users$/.test(uri))).to.have.length.above(0);
      expect([...seen].some((uri) => uri.startsWith('users/'))).to.equal(true);
    });
  }

  it('names no address for uploads that takes none', async () => {
    const { body } = await api.get(`/trackers/${api.tracker('item')}`, { as: 'tim' });
    for (const uri of addressesIn(body, (name) => name === UPLOADS)) {
      const { status, headers } = await api.request('OPTIONS', `/${uri}`);
      expect([status, headers.get('allow')?.split(', ').includes('POST')], uri).to.deep.equal([200, true]);
    }
  });

  it('shows each reader the addresses of what is within reach only', async () => {
    const projects = bodyOf<ProjectJson[]>(await api.get('/projects', { as: 'tim' }));
    expect(projects.map(({ shortname }) => shortname)).to.deep.equal(['open']);
    for (const uri of urisIn(projects)) expect((await api.get(`/${uri}`, { as: 'tim' })).status, uri).to.equal(200);
  });

  it('answers a creation with the address of the new resource', async () => {
    for (const [index, location] of uriOf.entries()) {
      const as = location === uriOf[0] || index === 3 ? 'max' : 'tim';
      expect(location.startsWith(`${api.url}/api/artifacts/`)).to.equal(true);
      expect((await api.get(location.slice(`${api.url}/api`.length), { as })).status, location).to.equal(200);
    }
  });

  it('answers requests below the longer prefix with addresses below that prefix', async () => {
    const values = [item('title', { value: 'By v1' })];
    const pair = await api.signIn('tim');
    const answer = await fetch(`${api.url}/api/v1/artifacts`, {
      method: 'POST',
      headers: { ...pair, 'Content-Type': 'application/json' },
      body: JSON.stringify({ tracker: { id: api.tracker('item') }, values }),
    });
    const location = answer.headers.get('location') ?? '';
    expect(location.startsWith(`${api.url}/api/v1/artifacts/`)).to.equal(true);
    expect((await fetch(location, { headers: pair })).status).to.equal(200);
  });
});

/** Every address that a representation holds for reading, on any level. */
const urisIn = (body: unknown): string[] => addressesIn(body, (name) => name !== UPLOADS && /(^|_)uri$/.test(name));

/** Where files go: an address to write to. */
const UPLOADS = 'file_creation_uri';

function addressesIn(body: unknown, isAddress: (name: string) => boolean): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    isAddress(name) && typeof value === 'string' ? [value] : addressesIn(value, isAddress),
  );
}
