import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import { svnDecider } from '../src/svn/repository.js';
import { type SvnEvent } from '../src/svn/repository-events.js';
import { SVN, svnNameId, svnNameViews, svnRepositoryViews } from '../src/svn/repository-view.js';
import { assertNoRevisionGap } from './revision-gap.js';

export const svn: Projection<SvnEvent> = {
  name: SVN,
  version: 3,
  models: [svnRepositoryViews.name, svnNameViews.name],
  when: {
    SvnRepositoryCreated: (event) => {
      const { repositoryId, projectId, name } = event.data;
      const id = svnNameId(projectId, name);
      return [...evolved(event), effect(svnNameViews, id, () => ({ id, repositoryId, projectId, name }))];
    },
    SvnSettingsReplaced: evolved,
    SvnRepositoryDeleted: ({ data }) => [
      effect(svnRepositoryViews, data.repositoryId, () => null),
      effect(svnNameViews, svnNameId(data.projectId, data.name), () => null),
    ],
  },
};

function evolved(event: Recorded<SvnEvent>): readonly Effect[] {
  const { repositoryId: id } = event.data;
  return [
    effect(svnRepositoryViews, id, (document) => {
      assertNoRevisionGap(document, event, 'repository');
      const repository = svnDecider.evolve(document && { ...document, deleted: false }, event);
      if (repository === null) throw new Error('the repository was never created');
      const { projectId, name, settings } = repository;
      return { id, projectId, name, settings, revision: event.revision };
    }),
  ];
}
