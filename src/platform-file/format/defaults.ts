/** What a member is in something new that the file says nothing of, and what null sets it back to. */
import { DEFAULT_PLATFORM } from '../../platform/platform.js';

export const DEFAULTS = {
  ...DEFAULT_PLATFORM,
  description: '',
  siteAdmin: false,
  status: 'active',
  access: 'public',
  svn: false,
  trackerColor: 'inca-silver',
  valueColor: '',
  /** Names of groups, as everywhere in a file. */
  trackerPermissions: { access: ['all_users'], submit: ['registered_users'], update: ['project_members'] },
  read: ['all_users'],
  bind: 'static',
  publicReport: true,
  defaultReport: false,
  query: '',
} as const;
