/** The one answer to a project in a path that the viewer cannot have. A file of its own because every slice asks. */
import { Problem } from '../core/problem.js';
import { type ProjectDirectory } from './project-directory.js';
import { type ProjectRights } from './project-rights.js';
import { type ProjectView } from './project-view.js';

export function visibleProject(directory: ProjectDirectory, viewer: ProjectRights, id: number): ProjectView {
  const project = directory.project(id);
  if (project === undefined) throw new Problem('not-found', 'This project does not exist');
  if (!viewer.canSeeProject(project)) throw new Problem('forbidden', whyNot(project, viewer));
  return project;
}

const whyNot = (project: ProjectView, viewer: ProjectRights): string =>
  viewer.knowsProject(project) ? 'This project is suspended' : 'You have no access to this project';
