/** The rules of one svn repository. That its name is its own in the project is the name's stream to know. */
import { isDeepStrictEqual } from 'node:util';
import { type Decider } from '../core/decider.js';
import { Problem } from '../core/problem.js';
import { type SvnCreation, type SvnEvent, type SvnSettings } from './repository-events.js';

export type SvnCommand =
  | (SvnCreation & { readonly type: 'CreateSvnRepository' })
  | { readonly type: 'ReplaceSvnSettings'; readonly repositoryId: number; readonly settings: SvnSettings }
  | { readonly type: 'DeleteSvnRepository'; readonly repositoryId: number };

export interface SvnRepository {
  readonly projectId: number;
  readonly name: string;
  readonly settings: SvnSettings;
  readonly deleted: boolean;
}

export const svnDecider: Decider<SvnRepository | null, SvnCommand, SvnEvent> = {
  initialState: null,

  decide(command, repository) {
    if (command.type === 'CreateSvnRepository') return create(command, repository);
    if (repository === null) throw new Problem('not-found', 'No such repository');
    const { repositoryId } = command;
    const { projectId, name, settings, deleted } = repository;
    switch (command.type) {
      case 'ReplaceSvnSettings':
        if (deleted) throw new Problem('not-found', 'The repository is deleted');
        if (isDeepStrictEqual(settings, command.settings)) return [];
        return [{ type: 'SvnSettingsReplaced', data: { repositoryId, settings: command.settings } }];
      case 'DeleteSvnRepository':
        return deleted ? [] : [{ type: 'SvnRepositoryDeleted', data: { repositoryId, projectId, name } }];
    }
  },

  evolve(repository, { type, data }) {
    switch (type) {
      case 'SvnRepositoryCreated':
        return { projectId: data.projectId, name: data.name, settings: data.settings, deleted: false };
      case 'SvnSettingsReplaced':
        return repository && { ...repository, settings: data.settings };
      case 'SvnRepositoryDeleted':
        return repository && { ...repository, deleted: true };
    }
  },
};

function create(
  { repositoryId, projectId, name, settings }: SvnCreation,
  present: SvnRepository | null,
): readonly SvnEvent[] {
  if (present === null) {
    return [{ type: 'SvnRepositoryCreated', data: { repositoryId, projectId, name, settings } }];
  }
  if (present.projectId === projectId && present.name === name) return [];
  throw new Problem('conflict', 'The repository exists already');
}
