/** Whether a repository exists for a viewer. */
import { type Viewer } from '../authorization/viewer.js';
import { Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { visibleProject } from '../projects/queries.js';
import { type ProjectView } from '../projects/project-view.js';
import { type SvnRepository } from './repository.js';

/** While the project does not use svn, its repositories do not exist, as in its list. */
export function projectOf(
  { projectId }: Pick<SvnRepository, 'projectId'>,
  definitions: Definitions,
  viewer: Viewer,
): ProjectView {
  const project = visibleProject(definitions, viewer, projectId);
  if (!project.svn) throw unknownRepository();
  return project;
}

export const unknownRepository = (): Problem => new Problem('not-found', 'This repository does not exist');
