import { expect } from 'chai';
import { projects } from '../../projections/projects.js';
import { type ProjectEvent } from '../../src/projects/project-events.js';
import { projectViews } from '../../src/projects/project-view.js';
import { projected } from '../support/projected.js';

describe('the document of a project', () => {
  const projectId = 110;
  const registration = { shortname: 'hydra', label: 'Hydra', description: '', access: 'public', svn: false } as const;
  const membership = { admins: [101], members: [], groups: [] };
  const registered: ProjectEvent = { type: 'ProjectRegistered', data: { projectId, ...registration, ...membership } };

  it('follows every change', () => {
    const view = projected(projects).happened('project-110', [
      registered,
      { type: 'ProjectMembersChanged', data: { projectId, ...membership, members: [102] } },
      { type: 'ProjectRenamed', data: { projectId, label: 'Hydra II', description: 'More' } },
      { type: 'ProjectAccessChanged', data: { projectId, access: 'private' } },
      { type: 'ProjectServicesChanged', data: { projectId, svn: true } },
      { type: 'ProjectSuspended', data: { projectId } },
    ]);
    expect(view.document(projectViews, projectId)).to.deep.equal({
      id: projectId,
      shortname: 'hydra',
      label: 'Hydra II',
      description: 'More',
      access: 'private',
      svn: true,
      ...membership,
      members: [102],
      status: 'suspended',
      revision: 5,
    });
  });

  it('cannot change before there is one', () => {
    const change: ProjectEvent = { type: 'ProjectSuspended', data: { projectId } };
    expect(() => projected(projects).happened('project-110', [change])).to.throw('never registered');
  });
});
