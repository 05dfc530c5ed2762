import { expect } from 'chai';
import { platformApi, type PlatformApi } from '../support/platform-api.js';

const writtenBy = (submit: readonly string[], read = ['all_users']): object => ({
  permissions: { read, submit, update: submit },
});
const MEMBERS = ['project_members'];
const ADMINS = ['project_admins'];

const title = { name: 'title', label: 'Title', type: 'string', required: true };
const field = (name: string, more: object = {}): object => ({ name, label: name.toUpperCase(), type: 'int', ...more });
const required = (name: string, more: object = {}): object => field(name, { required: true, ...more });

const tracker = (name: string, fields: readonly object[], more: object = {}): object => ({
  item_name: name,
  label: name,
  permissions: { access: ['all_users'], submit: MEMBERS, update: MEMBERS },
  fields,
  semantics: { title: 'title' },
  ...more,
});

const twelve = Array.from('abcdefghijkl', (name) => required(name));

const PLATFORM = {
  users: [{ username: 'boss' }, { username: 'member' }, { username: 'guest' }, { username: 'root', site_admin: true }],
  projects: [
    {
      shortname: 'open',
      label: 'Open',
      admins: ['boss'],
      members: ['member'],
      trackers: [
        tracker('plain', [title, field('points')]),
        tracker('defaulted', [title, required('points', { default: 1 })]),
        tracker('demanding', [title, required('points'), required('effort')]),
        tracker('endless', [title, ...twelve]),
        tracker('nameless', [field('points')], { semantics: {} }),
        tracker('reserved', [{ ...title, required: false, ...writtenBy(ADMINS) }, field('points')]),
        tracker('barred', [{ ...title, ...writtenBy(ADMINS) }]),
        tracker('strict', [title, required('points', writtenBy(ADMINS))]),
        tracker('secret', [{ ...title, required: false, ...writtenBy(ADMINS, ADMINS) }]),
        tracker('unseen', [title, required('points', writtenBy(ADMINS, ADMINS))]),
        tracker('blind', [{ ...title, ...writtenBy(MEMBERS, ADMINS) }]),
      ],
    },
    { shortname: 'paused', label: 'Paused', status: 'suspended', trackers: [tracker('ice', [title])] },
  ],
};

const NO_TITLE = 'This tracker has no title';
const NO_RIGHT = 'You may not submit artifacts to this tracker';
const NO_FIELD = 'You may not submit the field Title';
const more = (labels: string): string => `This tracker requires more than a title: ${labels}`;

describe('GET /projects/:id/trackers with with_creation_semantic_check=title', () => {
  let api: PlatformApi;
  before(async () => {
    api = await platformApi(PLATFORM);
  });
  after(() => api.stop());

  interface Listed {
    readonly label: string;
    readonly cannot_create_reasons: readonly string[];
  }
  const list = async (query: string, as?: string, project = 'open') =>
    api.get(`/projects/${api.project(project)}/trackers?limit=50&${query}`, as === undefined ? {} : { as });
  const reasons = async (as?: string, project = 'open', query = '&with_creation_semantic_check=title') => {
    const { body } = await list(`representation=minimal${query}`, as, project);
    const listed = body as readonly Listed[];
    return Object.fromEntries(listed.map(({ label, cannot_create_reasons: given }) => [label, given]));
  };

  it('tells all reasons why a title is not enough', async () => {
    expect(await reasons('member')).to.deep.equal({
      plain: [],
      defaulted: [],
      demanding: [more('POINTS, EFFORT')],
      endless: [more('A, B, C, D, E, F, G, H, I, J, and 2 more')],
      nameless: [NO_TITLE],
      reserved: [NO_FIELD],
      barred: [`${NO_FIELD}, which this tracker requires`],
      strict: ['You may not submit the field POINTS, which this tracker requires', more('POINTS')],
      secret: [NO_TITLE],
      unseen: [],
      blind: [],
    });
    expect(await reasons('boss')).to.deep.include({ reserved: [], barred: [], strict: [more('POINTS')], secret: [] });
  });

  it('tells those who may not submit that they may not', async () => {
    for (const as of ['guest', undefined]) {
      expect(await reasons(as)).to.deep.include({
        plain: [NO_RIGHT, `${NO_FIELD}, which this tracker requires`],
        nameless: [NO_RIGHT, NO_TITLE],
        demanding: [NO_RIGHT, `${NO_FIELD}, which this tracker requires`, more('POINTS, EFFORT')],
        blind: [NO_RIGHT, NO_TITLE],
      });
    }
    expect(await reasons('root', 'paused')).to.deep.equal({ ice: ['The project of this tracker is suspended'] });
  });

  it('has a reason exactly where a submission of a title is refused', async () => {
    const users = ['boss', 'member', 'guest'];
    const told = await Promise.all(users.map((as) => reasons(as)));
    for (const [index, as] of users.entries()) {
      for (const [name, given] of Object.entries(told[index]!)) {
        const values = name === 'nameless' ? [] : [{ field_id: api.field(name, 'title'), value: 'x' }];
        const { status, body } = await api.post('/artifacts', {
          as,
          body: { tracker: { id: api.tracker(name) }, values },
        });
        expect(status === 201, `${as} ${name} ${JSON.stringify(body)}`).to.equal(given.length === 0);
        if (status === 403) expect(body.error.message).to.equal(`Forbidden: ${given[0]!}`);
      }
    }
  });

  it('tells no reason unless it is asked for', async () => {
    for (const as of ['member', 'guest', undefined]) {
      expect(Object.values(await reasons(as, 'open', '')).every((given) => given.length === 0)).to.equal(true);
    }
    expect(Object.keys(await reasons('guest', 'open', ''))).to.have.length(11);
  });

  it('refuses another value, and the whole representation', async () => {
    for (const value of ['status', 'TITLE', '']) {
      const { status, body } = await list(`representation=minimal&with_creation_semantic_check=${value}`, 'member');
      expect(status, value).to.equal(400);
      expect(body).to.have.nested.property('error.details[0].pointer', 'with_creation_semantic_check');
    }
    for (const query of ['', 'representation=full&']) {
      const { status, body } = await list(`${query}with_creation_semantic_check=title`, 'member');
      expect(status).to.equal(400);
      expect(body).to.have.nested.property(
        'error.message',
        'Bad Request: with_creation_semantic_check needs representation=minimal',
      );
    }
  });
});
