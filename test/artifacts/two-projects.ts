const user = (username: string) => ({
  username,
  real_name: username,
  email: `${username}@example.org`,
  password: `${username}'s password`,
});

const tracker = (itemName: string) => ({
  item_name: itemName,
  label: itemName,
  description: '',
  permissions: { access: ['all_users'], submit: ['all_users'], update: ['all_users'] },
  fields: [
    { name: 'title', label: 'Title', type: 'string' },
    { name: 'links', label: 'Links', type: 'art_link' },
    { name: 'hidden', label: 'Hidden', type: 'string', permissions: { read: ['project_members'] } },
    { name: 'files', label: 'Files', type: 'file' },
    { name: 'who', label: 'Who', type: 'perm' },
  ],
  semantics: { title: 'title' },
});

const project = (shortname: string, itemName: string) => ({
  shortname,
  label: shortname.toUpperCase(),
  access: 'public',
  admins: ['alice'],
  members: ['carol'],
  trackers: [tracker(itemName)],
});

const platform = () => ({
  settings: { anonymous_access: true },
  users: [{ ...user('alice'), site_admin: true }, user('carol'), user('eve')] as const,
  projects: [project('p', 'bug'), project('q', 'task')] as const,
});

/**
 * A platform file of two public projects with a tracker each, `bug` in `p` and `task` in `q`. Only members read the field
 * `hidden`; Carol is one, Eve is none.
 */
export function twoProjects(change: (file: ReturnType<typeof platform>) => unknown = () => undefined): string {
  const file = platform();
  change(file);
  return JSON.stringify(file);
}
