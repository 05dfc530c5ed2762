interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
}

const user = (username: string) => ({
  username,
  real_name: username,
  email: `${username}@example.org`,
  password: `${username}'s password`,
});

/**
 * A platform with one tracker, `bug`, of a title, links and these fields. None is computed: answers about its artifacts
 * are remembered. Alice administers it, Carol writes, anybody reads.
 */
export const plainPlatform = (fields: readonly Field[], readers: readonly string[] = []): string =>
  JSON.stringify({
    users: [{ ...user('alice'), site_admin: true }, ...['carol', ...readers].map(user)],
    projects: [
      {
        shortname: 'p',
        label: 'P',
        admins: ['alice'],
        members: ['carol'],
        trackers: [
          {
            item_name: 'bug',
            label: 'Bugs',
            permissions: { access: ['all_users'], submit: ['project_members'], update: ['project_members'] },
            fields: [
              { name: 'title', label: 'Title', type: 'string' },
              { name: 'links', label: 'Links', type: 'art_link' },
              ...fields,
            ],
            semantics: { title: 'title' },
          },
        ],
      },
    ],
  });
