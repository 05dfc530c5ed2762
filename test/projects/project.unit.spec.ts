import { projectDecider } from '../../src/projects/project.js';
import { PROJECT_MEMBERS, type Membership, type ProjectEvent } from '../../src/projects/project-events.js';
import { specify } from '../support/specify.js';

const { given } = specify(projectDecider);

const projectId = 110;
const membership: Membership = {
  admins: [101],
  members: [102],
  groups: [{ id: 105, shortName: 'developers', label: 'Developers', members: [102] }],
};
const registration = { shortname: 'hydra', label: 'Hydra', description: '', access: 'public', svn: false } as const;
const registered: ProjectEvent = {
  type: 'ProjectRegistered',
  data: { projectId, ...registration, ...membership },
};

const group = (id: number, shortName: string, ...members: readonly number[]) => ({
  ...{ id, shortName, label: shortName },
  members,
});

describe('project', () => {
  it('is registered once', () => {
    given()
      .when({ type: 'RegisterProject', projectId, ...registration, ...membership })
      .then(registered);
    given(registered)
      .when({ type: 'RegisterProject', projectId, ...registration, ...membership, shortname: 'lerna' })
      .thenProblem('conflict');
  });

  it('takes no command before its registration', () => {
    given().when({ type: 'SuspendProject', projectId }).thenProblem('not-found');
  });

  it('changes its members, administrators and groups as one', () => {
    const wider: Membership = { ...membership, members: [102, 103] };
    given(registered)
      .when({ type: 'ChangeProjectMembers', projectId, ...wider })
      .then({ type: 'ProjectMembersChanged', data: { projectId, ...wider } });
    given(registered)
      .when({ type: 'ChangeProjectMembers', projectId, ...membership })
      .thenNothing();
  });

  it('takes another label and description', () => {
    given(registered)
      .when({ type: 'RenameProject', projectId, label: 'Hydra II', description: 'More heads' })
      .then({ type: 'ProjectRenamed', data: { projectId, label: 'Hydra II', description: 'More heads' } });
  });

  it('becomes private', () => {
    given(registered)
      .when({ type: 'ChangeProjectAccess', projectId, access: 'private' })
      .then({ type: 'ProjectAccessChanged', data: { projectId, access: 'private' } });
  });

  it('switches subversion on', () => {
    given(registered)
      .when({ type: 'ChangeProjectServices', projectId, svn: true })
      .then({ type: 'ProjectServicesChanged', data: { projectId, svn: true } });
  });

  it('is suspended and comes back', () => {
    const suspended: ProjectEvent = { type: 'ProjectSuspended', data: { projectId } };
    given(registered).when({ type: 'SuspendProject', projectId }).then(suspended);
    given(registered, suspended)
      .when({ type: 'ReactivateProject', projectId })
      .then({ type: 'ProjectReactivated', data: { projectId } });
  });
});

describe('a project whose groups change by one', () => {
  const GROUPS = [group(105, 'developers', 101, 102), group(106, 'testers', 102, 104)];
  const within = (access: 'public' | 'private', present: Partial<Membership> = {}): ProjectEvent => ({
    type: 'ProjectRegistered',
    data: { projectId, ...registration, access, admins: [101], members: [102, 103], groups: GROUPS, ...present },
  });
  const replace = (groupId: number, users: readonly number[], active = users) =>
    ({ type: 'ReplaceGroupMembers', projectId, groupId, users, active }) as const;
  const changed = (members: readonly number[], ...groups: Membership['groups']): ProjectEvent => ({
    type: 'ProjectMembersChanged',
    data: { projectId, admins: [101], members, groups },
  });
  const [developers, testers] = GROUPS as [Membership['groups'][0], Membership['groups'][0]];

  it('has users who join a group of it as members, if it is private', () => {
    given(within('private'))
      .when(replace(105, [101, 102, 105, 106]))
      .then(changed([102, 103, 105, 106], group(105, 'developers', 101, 102, 105, 106), testers));
    given(within('public'))
      .when(replace(105, [101, 102, 105]))
      .then(changed([102, 103], group(105, 'developers', 101, 102, 105), testers));
  });

  it('takes no administrator, member or suspended user for a new member', () => {
    given(within('private'))
      .when(replace(106, [101, 102, 103, 104]))
      .then(changed([102, 103], developers, group(106, 'testers', 101, 102, 103, 104)));
    given(within('private'))
      .when(replace(105, [105, 106], [106]))
      .then(changed([102, 103, 106], group(105, 'developers', 105, 106), testers));
  });

  it('keeps a user outside who was in the group before without being a member', () => {
    given(within('private'))
      .when(replace(106, [104, 105]))
      .then(changed([102, 103, 105], developers, group(106, 'testers', 104, 105)));
    given(within('private'))
      .when(replace(106, [104, 102]))
      .thenNothing();
  });

  it('keeps as members those who leave a group of it', () => {
    given(within('private'))
      .when(replace(105, []))
      .then(changed([102, 103], group(105, 'developers'), testers));
  });

  it('has members who leave it leave its groups, but no administrator, and none who was no member', () => {
    const left = [group(105, 'developers', 101), group(106, 'testers', 104)];
    for (const access of ['private', 'public'] as const) {
      given(within(access, { members: [101, 102, 103] }))
        .when(replace(PROJECT_MEMBERS, [103, 105]))
        .then(changed([103, 105], ...left));
      given(within(access))
        .when(replace(PROJECT_MEMBERS, [101, 103, 102, 105]))
        .then(changed([101, 103, 102, 105], ...GROUPS));
    }
  });

  it('stays as it is where the same users are named in another order', () => {
    for (const access of ['private', 'public'] as const) {
      given(within(access))
        .when(replace(PROJECT_MEMBERS, [103, 102]))
        .thenNothing();
      given(within(access))
        .when(replace(105, [102, 101]))
        .thenNothing();
    }
  });

  it('takes in nobody by a group that it does not have', () => {
    given(within('private'))
      .when(replace(999, [105]))
      .thenNothing();
  });
});
