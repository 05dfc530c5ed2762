/** What the GET routes of projects answer, apart from HTTP. */
import { invalidIn, Problem } from '../core/problem.js';
import { expectTrue } from '../http/json-parameter.js';
import { type ProjectDefinitions } from './project-definitions.js';
import { type ProjectRights } from './project-rights.js';
import { type ProjectView } from './project-view.js';
import { PROJECT_ADMINS } from './project-events.js';

/** The one answer to a project in a path that the viewer cannot have. */
export function visibleProject(definitions: ProjectDefinitions, viewer: ProjectRights, id: number): ProjectView {
  const project = definitions.project(id);
  if (project === undefined) throw new Problem('not-found', 'This project does not exist');
  if (!viewer.canSeeProject(project)) throw new Problem('forbidden', whyNot(project, viewer));
  return project;
}

const whyNot = (project: ProjectView, viewer: ProjectRights): string =>
  viewer.knowsProject(project) ? 'This project is suspended' : 'You have no access to this project';

type Matches = (project: ProjectView) => boolean;
type Condition = (value: unknown, viewer: ProjectRights) => Matches;

const STATUSES = ['active', 'pending', 'suspended', 'deleted'];

/** In the order of precedence: of several given, the first counts, as clients expect. */
const CONDITIONS: ReadonlyMap<string, Condition> = new Map<string, Condition>([
  ['shortname', shortnameIs],
  ['is_tracker_admin', hasTrackerToAdminister],
  ['with_status', hasStatus],
  ['is_member_of', hasMember],
  ['is_admin_of', hasAdmin],
]);

/** By id. Only active projects, unless a site administrator asks for another status. */
export function searchProjects(
  definitions: ProjectDefinitions,
  viewer: ProjectRights,
  query: ReadonlyMap<string, unknown>,
): readonly ProjectView[] {
  const unknown = [...query.keys()].find((key) => !CONDITIONS.has(key));
  if (unknown !== undefined) {
    throw invalid(`query takes ${[...CONDITIONS.keys()].join(', ')}, and no ${unknown}`);
  }
  const key = [...CONDITIONS.keys()].find((known) => query.has(known));
  const matches = key === undefined ? undefined : CONDITIONS.get(key)?.(query.get(key), viewer);
  const isListed = key === 'with_status' ? () => true : isActive;
  return definitions
    .projects()
    .filter((project) => viewer.canSeeProject(project) && isListed(project) && (matches?.(project) ?? true));
}

const isActive: Matches = ({ status }) => status === 'active';

function shortnameIs(value: unknown): Matches {
  if (typeof value !== 'string') throw invalid('query: shortname is a text');
  return ({ shortname }) => shortname === value;
}

function hasTrackerToAdminister(value: unknown, viewer: ProjectRights): Matches {
  expectTrue('is_tracker_admin', value);
  return (project) => viewer.isTrackerAdminIn(project);
}

function hasStatus(value: unknown, viewer: ProjectRights): Matches {
  if (!viewer.isSiteAdmin()) throw new Problem('forbidden', 'Only site administrators may ask for with_status');
  if (typeof value !== 'string' || !STATUSES.includes(value)) {
    throw invalid(`query: with_status is one of ${STATUSES.join(', ')}`);
  }
  return ({ status }) => status === value;
}

function hasMember(value: unknown, viewer: ProjectRights): Matches {
  expectTrue('is_member_of', value);
  return (project) => viewer.isMemberOf(project);
}

/** Of the project itself: the rights of site administrators do not count. */
function hasAdmin(value: unknown, viewer: ProjectRights): Matches {
  expectTrue('is_admin_of', value);
  return (project) => viewer.groupsIn(project).has(PROJECT_ADMINS);
}

const invalid = (message: string): Problem => invalidIn('query', message);
