/** What a member is in something new that the file says nothing of, and what null sets it back to. */
import { DEFAULT_PLATFORM } from '../../platform/platform.js';
import { type ProjectAccess } from '../../projects/project-events.js';
import { type Field } from '../../trackers/field-types/definition.js';

type Status = 'active' | 'suspended';
type Bind = NonNullable<Field['bind']>;

interface Defaults {
  readonly anonymousAccess: boolean;
  readonly artifactDeletionLimit: number;
  readonly archiveDeletedArtifacts: boolean;
  readonly description: string;
  readonly siteAdmin: boolean;
  readonly status: Status;
  readonly access: ProjectAccess;
  readonly svn: boolean;
  readonly trackerColor: string;
  readonly valueColor: string;
  /** Names of groups, as everywhere in a file. */
  readonly trackerPermissions: Readonly<Record<'access' | 'submit' | 'update', readonly string[]>>;
  readonly read: readonly string[];
  readonly bind: Bind;
  readonly publicReport: boolean;
  readonly defaultReport: boolean;
  readonly query: string;
}

export const DEFAULTS: Defaults = {
  anonymousAccess: DEFAULT_PLATFORM.anonymousAccess,
  artifactDeletionLimit: DEFAULT_PLATFORM.artifactDeletionLimit,
  archiveDeletedArtifacts: DEFAULT_PLATFORM.archiveDeletedArtifacts,
  description: '',
  siteAdmin: false,
  status: 'active',
  access: 'public',
  svn: false,
  trackerColor: 'inca-silver',
  valueColor: '',
  trackerPermissions: { access: ['all_users'], submit: ['registered_users'], update: ['project_members'] },
  read: ['all_users'],
  bind: 'static',
  publicReport: true,
  defaultReport: false,
  query: '',
};
