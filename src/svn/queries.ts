/** What the GET routes of svn answer, apart from HTTP. */
import { refuseMarked } from '../core/marks.js';
import { invalidAt } from '../core/problem.js';
import { type Criterion, type ReadModels } from '../core/read-models.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { pageById, type FoundPage } from '../http/pages/list-page.js';
import { type Parts } from '../http/send-json.js';
import { visibleProject } from '../projects/queries.js';
import { type ProjectView } from '../projects/project-view.js';
import { projectOf, unknownRepository } from './authorize.js';
import { repositoryTexts, svnRepository, type RepositoryReading } from './representation.js';
import { svnNameViews, svnRepositoryViews } from './repository-view.js';
import { svnStream } from './repository-events.js';
import { type ListQuery } from './schemas.js';

export interface Reading extends RepositoryReading {
  readonly readModels: ReadModels;
}

export async function oneRepository(id: number, reading: Reading): Promise<AsyncIterator<Parts>> {
  const { readModels, definitions, viewer } = reading;
  const repository = await readModels.get(svnRepositoryViews, id);
  if (repository === null) throw unknownRepository();
  const project = projectOf(repository, definitions, viewer);
  return repositoryTexts(repository, project, { ...reading, isAdmin: viewer.isAdminOf(project) });
}

/** By name; none where the project does not use svn. The project is judged after the read. */
export async function repositoriesOf(
  project: ProjectView,
  { query, ...page }: ListQuery,
  { readModels, definitions, viewer, origin }: Reading,
): Promise<FoundPage<object>> {
  const named = nameCriterion(query);
  if (!project.svn) return { items: [], total: 0, last: null };
  const where: readonly Criterion[] = [{ type: 'any-of', key: 'project', values: [project.id] }, ...named];
  const { items, ...found } = await pageById((paged) => readModels.find(svnNameViews, { where, ...paged }), page);
  visibleProject(definitions, viewer, project.id);
  const marks = readModels.marks(svnNameViews.name);
  for (const { repositoryId } of items) refuseMarked(marks, svnStream(repositoryId));
  return {
    items: items.map(({ repositoryId, name }) => svnRepository({ id: repositoryId, name }, project, origin)),
    ...found,
  };
}

function nameCriterion(query: string | undefined): readonly Criterion[] {
  const asked = [...jsonObjectParameter('query', query)];
  return asked.map(([key, value]): Criterion => {
    if (key === 'name' && typeof value === 'string') return { type: 'any-of', key, values: [value] };
    throw invalidAt('query', 'can only be {"name": "…"}');
  });
}
