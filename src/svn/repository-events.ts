import { type Event, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';
import { type GroupId } from '../projects/project-events.js';

interface CommitRules {
  readonly isReferenceMandatory: boolean;
  readonly isCommitMessageChangeAllowed: boolean;
}

/** The recipients of mails about commits below a path. */
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

export const svnStream = (id: number): StreamName => `svn-${id}`;
