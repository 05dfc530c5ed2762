/** The rules of one svn repository. That its name is its own in the project is the name's stream to know. */
import { isDeepStrictEqual } from 'node:util';
import { type Decider } from '../core/decider.js';
import { type Event, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';
import { Problem } from '../core/problem.js';
import { type GroupId } from '../projects/project-events.js';

interface CommitRules {
  readonly isReferenceMandatory: boolean;
  readonly isCommitMessageChangeAllowed: boolean;
}

/** Who is told by mail of commits below a path. */
export interface Notification {
  readonly path: string;
  readonly emails: readonly string[];
  /** User ids. */
  readonly users: readonly number[];
  /** Of the repository's project. */
  readonly groups: readonly GroupId[];
}

export interface SvnSettings {
  readonly commitRules: CommitRules;
  readonly immutableTags: { readonly paths: readonly string[]; readonly whitelist: readonly string[] };
  /** In the syntax of svn's authz files. */
  readonly accessFile: string;
  /** By path, each path once. */
  readonly emailNotifications: readonly Notification[];
  readonly hasDefaultPermissions: boolean;
}

/** Stored for ever: extend, never rename. */
export type SvnEvent =
  | Event<'SvnRepositoryCreated', { repositoryId: number; projectId: number; name: string; settings: SvnSettings }>
  | Event<'SvnSettingsReplaced', { repositoryId: number; settings: SvnSettings }>
  | Event<'SvnRepositoryDeleted', { repositoryId: number; projectId: number; name: string }>;

export const svnEventTypes: EventTypes<SvnEvent> = {
  SvnRepositoryCreated: [],
  SvnSettingsReplaced: [],
  SvnRepositoryDeleted: [],
};

export type SvnCreation = Extract<SvnEvent, { type: 'SvnRepositoryCreated' }>['data'];

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

export const svnStream = (id: number): StreamName => `svn-${id}`;

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
