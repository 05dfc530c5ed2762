import { projectDecider } from '../../src/projects/project.js';
import { type Membership, type ProjectEvent } from '../../src/projects/project-events.js';
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
