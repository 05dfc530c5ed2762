/** The platform that is measured: twenty trackers with 25 fields each, in a private and in public projects. */
export const PASSWORD = 'bench-password-bench';
export const READER = 'user1';
export const TRACKERS = 20;
/** Of the artifacts. */
export const FIRST_ID = 101;
const USERS = 40;

const STATUSES = ['New', 'In progress', 'In review', 'Fixed', 'Closed'] as const;
const SEVERITIES = ['Minor', 'Major', 'Critical'] as const;
const SYSTEMS = ['Linux', 'Windows', 'macOS', 'BSD'] as const;
const KEYWORDS = ['pump', 'valve', 'display', 'network', 'storage'] as const;

export const trackerName = (index: number): string => `bug${index}`;

/** JSON, which is YAML too. */
export function platformText(): string {
  const users = Array.from({ length: USERS }, (_, index) => ({
    username: `user${index}`,
    real_name: `User Number ${index}`,
    email: `user${index}@example.org`,
    password: PASSWORD,
    site_admin: index === 0,
  }));
  const members = users.slice(1).map(({ username }) => username);
  return JSON.stringify({
    artifact_link_types: [{ shortname: 'fixed_in', forward_label: 'Fixed in', reverse_label: 'Fixes' }],
    users,
    projects: [
      {
        shortname: 'bench',
        label: 'Bench',
        access: 'private',
        admins: ['user0'],
        members,
        user_groups: [
          { short_name: 'developers', label: 'Developers', members: members.slice(0, 20) },
          { short_name: 'testers', label: 'Testers', members: members.slice(20) },
        ],
        trackers: Array.from({ length: TRACKERS }, (_, index) => tracker(trackerName(index))),
      },
    ],
  });
}

const labels = (names: readonly string[]) => names.map((label) => ({ label }));

function tracker(itemName: string) {
  return {
    item_name: itemName,
    label: `Bugs ${itemName}`,
    permissions: { access: ['project_members'], submit: ['project_members'], update: ['project_members'] },
    fields: [
      { name: 'title', label: 'Title', type: 'string', required: true },
      { name: 'description', label: 'Description', type: 'text' },
      { name: 'notes', label: 'Notes', type: 'text' },
      { name: 'environment', label: 'Environment', type: 'string' },
      { name: 'release', label: 'Release', type: 'string' },
      { name: 'status', label: 'Status', type: 'sb', values: labels(STATUSES), default: 'New' },
      { name: 'severity', label: 'Severity', type: 'rb', values: labels(SEVERITIES) },
      { name: 'assigned_to', label: 'Assigned to', type: 'msb', bind: 'users', from: ['project_members'] },
      { name: 'team', label: 'Team', type: 'sb', bind: 'user_groups', from: ['developers', 'testers'] },
      { name: 'platforms', label: 'Platforms', type: 'cb', values: labels(SYSTEMS) },
      { name: 'keywords', label: 'Keywords', type: 'tbl', values: labels(KEYWORDS) },
      { name: 'effort', label: 'Effort', type: 'float' },
      { name: 'cost', label: 'Cost', type: 'float' },
      { name: 'points', label: 'Points', type: 'int' },
      { name: 'votes', label: 'Votes', type: 'int' },
      { name: 'due', label: 'Due', type: 'date' },
      { name: 'meeting', label: 'Meeting', type: 'date', time: true },
      { name: 'links', label: 'Links', type: 'art_link' },
      { name: 'visible_to', label: 'Visible to', type: 'perm' },
      { name: 'id', label: 'Artifact', type: 'aid' },
      { name: 'number', label: 'Number', type: 'atid' },
      { name: 'submitted_on', label: 'Submitted on', type: 'subon' },
      { name: 'submitted_by', label: 'Submitted by', type: 'subby' },
      { name: 'updated_on', label: 'Updated on', type: 'lud' },
      { name: 'updated_by', label: 'Updated by', type: 'luby' },
    ],
    semantics: {
      title: 'title',
      description: 'description',
      status: { field: 'status', open: ['New', 'In progress', 'In review'] },
      contributor: 'assigned_to',
    },
  };
}
