/** The platform that blocks most: definitions, groups and lists at their bounds. */
import { PASSWORD, READER } from '../platform.js';

export const OUTSIDER = 'outsider';
export const ADMIN = 'admin';
/** Has signed out as often as is remembered one by one. */
export const SIGNED_OUT = 'signed-out';
const CROWD = 2_000;
const GROUPS = 40;
export const MAX_LABELS = 10_000;
/** So that each write of the measurement may add some. */
const OPEN_LABELS = 9_000;
export const TEXTS = 15;

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const labels = (count: number) => range(count).map((index) => ({ label: label(index) }));

export const label = (index: number): string => `v${index}`;
export const textField = (index: number): string => `text${index}`;
const crowdName = (index: number): string => `crowd${index}`;

/** JSON, which is YAML too. */
export function boundsText(): string {
  const crowd = range(CROWD).map(crowdName);
  const users = [ADMIN, READER, OUTSIDER, SIGNED_OUT, ...crowd].map((username) => ({
    username,
    real_name: `Real name of ${username}`,
    email: `${username}@example.org`,
    password: PASSWORD,
    site_admin: username === ADMIN,
  }));
  const userGroups = range(GROUPS).map((index) => ({
    short_name: `group${index}`,
    label: `Group ${index}`,
    members: crowd,
  }));
  return JSON.stringify({
    settings: { anonymous_access: true, artifact_deletion_limit: 1000, archive_deleted_artifacts: true },
    users,
    projects: [
      {
        shortname: 'bounds',
        label: 'Bounds',
        access: 'public',
        admins: [ADMIN],
        members: [READER, SIGNED_OUT, ...crowd],
        user_groups: userGroups,
        svn: true,
        trackers: [tracker('selections', selections()), tracker('opens', opens()), tracker('texts', texts())],
      },
    ],
  });
}

function tracker(itemName: string, fields: readonly object[]) {
  return {
    item_name: itemName,
    label: `Tracker of ${itemName}`,
    permissions: { access: ['all_users'], submit: ['project_members'], update: ['project_members'] },
    fields: [
      { name: 'title', label: 'Title', type: 'string' },
      { name: 'links', label: 'Links', type: 'art_link' },
      { name: 'submitted_on', label: 'Submitted on', type: 'subon' },
      ...fields,
    ],
    semantics: { title: 'title' },
  };
}

const selections = () => [
  { name: 'wide', label: 'Wide', type: 'msb', values: labels(MAX_LABELS) },
  { name: 'people', label: 'People', type: 'msb', bind: 'users', from: ['registered_users'] },
  { name: 'grouped', label: 'Grouped', type: 'msb', bind: 'users', from: [`group${GROUPS - 1}`] },
  { name: 'visible_to', label: 'Visible to', type: 'perm' },
  { name: 'crowd', label: 'Crowd', type: 'tbl', bind: 'users', from: ['project_members'] },
  { name: 'files', label: 'Files', type: 'file' },
];

/** `added` has labels that users added, `defined` those of its definition. */
const opens = () => [
  { name: 'added', label: 'Added', type: 'tbl', values: [] },
  { name: 'defined', label: 'Defined', type: 'tbl', values: labels(OPEN_LABELS) },
];

const texts = () => range(TEXTS).map((index) => ({ name: textField(index), label: `Text ${index}`, type: 'text' }));
