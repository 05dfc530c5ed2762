import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import { projectDecider } from '../src/projects/project.js';
import { type ProjectEvent } from '../src/projects/project-events.js';
import { PROJECTS, projectViews } from '../src/projects/project-view.js';
import { assertNoRevisionGap } from './revision-gap.js';

export const projects: Projection<ProjectEvent> = {
  name: PROJECTS,
  version: 1,
  models: [projectViews.name],
  when: {
    ProjectRegistered: evolved,
    ProjectMembersChanged: evolved,
    ProjectRenamed: evolved,
    ProjectAccessChanged: evolved,
    ProjectServicesChanged: evolved,
    ProjectSuspended: evolved,
    ProjectReactivated: evolved,
  },
};

function evolved(event: Recorded<ProjectEvent>): readonly Effect[] {
  const { data, revision } = event;
  return [
    effect(projectViews, data.projectId, (document) => {
      assertNoRevisionGap(document, event, 'project');
      const project = projectDecider.evolve(document, event);
      if (project === null) throw new Error('the project was never registered');
      return { ...project, id: data.projectId, revision };
    }),
  ];
}
