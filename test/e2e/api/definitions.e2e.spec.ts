import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, type ProjectJson } from './shapes.js';

const USER = ['id', 'uri', 'real_name', 'username', 'avatar_url'];

describe('definitions', () => {
  let api: RunningService;
  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
  });
  after(() => api.stop());

  const asReader = (as?: string) => (as === undefined ? {} : { as });
  const statusOf = async (path: string, as?: string): Promise<number> => (await api.get(path, asReader(as))).status;
  const projectId = (name: string): number => api.service.definitions.projectNamed(name)!.id;
  const search = (query: unknown): string => `query=${encodeURIComponent(JSON.stringify(query))}`;

  describe('of projects', () => {
    const names = async (query: unknown, as?: string): Promise<unknown> =>
      bodyOf<ProjectJson[]>(await api.get(`/projects?${search(query)}`, asReader(as))).map(
        ({ shortname }) => shortname,
      );

    it('are found by every condition that there is', async () => {
      expect(await names({}, 'root')).to.deep.equal(['open', 'closed']);
      expect(await names({ shortname: 'closed' }, 'max')).to.deep.equal(['closed']);
      expect(await names({ shortname: 'closed' }, 'tim')).to.deep.equal([]);
      expect(await names({ is_member_of: true }, 'max')).to.deep.equal(['closed']);
      expect(await names({ is_member_of: true })).to.deep.equal([]);
      expect(await names({ is_admin_of: true }, 'pam')).to.deep.equal(['open']);
      expect(await names({ is_admin_of: true }, 'tim')).to.deep.equal([]);
      expect(await names({ is_tracker_admin: true }, 'tim')).to.deep.equal(['open']);
      expect(await names({ is_tracker_admin: true }, 'sam')).to.deep.equal([]);
      expect(await names({ with_status: 'suspended' }, 'root')).to.deep.equal(['frozen']);
      expect(await names({ is_member_of: true, shortname: 'open' }, 'max')).to.deep.equal(['open']);
    });

    it('refuse conditions that there are not', async () => {
      const wrong = [
        { is_member_of: false },
        { is_tracker_admin: false },
        { label: 'x' },
        { shortname: 1 },
        ['open'],
        1,
      ];
      for (const query of wrong)
        expect(await statusOf(`/projects?${search(query)}`, 'tim'), JSON.stringify(query)).to.equal(400);
      expect(await statusOf('/projects?query=open')).to.equal(400);
      expect(await statusOf(`/projects?${search({ with_status: 'active' })}`, 'pam')).to.equal(403);
      expect(await statusOf(`/projects?${search({ with_status: 'active' })}`)).to.equal(403);
      expect(await statusOf(`/projects?${search({ with_status: 'odd' })}`, 'root')).to.equal(400);
    });

    it('are open to those who may reach them', async () => {
      const statuses: Record<string, number[]> = {};
      for (const as of ['root', 'pam', 'tim', 'max', undefined]) {
        const paths = ['open', 'closed', 'frozen'].flatMap((name) => [
          `/projects/${projectId(name)}`,
          `/projects/${projectId(name)}/trackers`,
        ]);
        statuses[as ?? 'anonymous'] = await Promise.all(
          [...paths, '/projects/999', '/projects/x'].map((path) => statusOf(path, as)),
        );
      }
      expect(statuses).to.deep.equal({
        root: [200, 200, 200, 200, 200, 200, 404, 400],
        pam: [200, 200, 403, 403, 403, 403, 404, 400],
        tim: [200, 200, 403, 403, 403, 403, 404, 400],
        max: [200, 200, 200, 200, 403, 403, 404, 400],
        anonymous: [200, 200, 403, 403, 403, 403, 404, 400],
      });
    });

    it('have the members that clients parse', async () => {
      const { body } = await api.get(`/projects/${projectId('open')}`, { as: 'tim' });
      expect(body).to.deep.equal({
        id: projectId('open'),
        uri: `projects/${projectId('open')}`,
        label: 'Öffentlich',
        label_without_icon: 'Öffentlich',
        shortname: 'open',
        status: 'active',
        access: 'public',
        is_template: false,
        resources: ['trackers', 'user_groups'].map((type) => ({ type, uri: `projects/${projectId('open')}/${type}` })),
        additional_informations: [],
        is_member_of: true,
        description: '',
        additional_fields: [],
        icon: '',
      });
      const [listed] = bodyOf<object[]>(await api.get('/projects', { as: 'tim' }));
      expect(listed).to.deep.equal(body);
      expect(bodyOf<ProjectJson>(await api.get('/projects/101')).is_member_of).to.equal(false);
    });
  });

  it('of users are short for strangers', async () => {
    const { body } = await api.get(`/users/${api.user('tim')}`);
    expect(body).to.have.all.keys(...USER, 'user_url', 'display_name', 'ldap_id', 'is_anonymous', 'has_avatar');
    expect((await api.get(`/users/${api.user('ex')}`, { as: 'tim' })).body).to.include({
      email: 'ex@example.org',
      status: 'S',
    });
    expect((await api.get('/users/self', { as: 'tim' })).body).to.include({
      id: api.user('tim'),
      username: 'tim',
      status: 'A',
    });
    expect(
      await Promise.all(['/users/self', '/users/tim', '/users/9999', '/users/0'].map((path) => statusOf(path))),
    ).to.deep.equal([401, 400, 404, 404]);
    expect(JSON.stringify(body)).not.to.match(/password|argon/i);
  });
});
