/** Repositories whose settings are at the bounds, most of them refused. */
import { BODY_BYTES, filled, ITEMS, MOST, range, type Kind } from './kind.js';
import { ADMIN, OUTSIDER } from './platform.js';
import { type Scene } from './scene.js';

const ACCESS_FILE_BYTES = 262_144;

const accessFile = (name: string, as: typeof OUTSIDER | typeof ADMIN, text: string): Kind => ({
  name: `svn: ${name}`,
  as,
  request: ({ project }, nth) => ({
    method: 'POST',
    path: '/svn',
    body: { project_id: project, name: `svn-${nth}-${text.length}`, settings: { access_file: text } },
  }),
});

/** As many as the values of a body allow. */
const notifications = (groups: readonly string[], emails: readonly string[], users: readonly number[]) => ({
  email_notifications: range(18).map((index) => ({ path: `/a${index}`, emails, users, user_groups: groups })),
});

const settings = (name: string, made: (scene: Scene) => object): Kind => ({
  name: `svn: ${name}`,
  as: ADMIN,
  request: (scene, nth) => ({
    method: 'POST',
    path: '/svn',
    body: { project_id: scene.project, name: `${name.replaceAll(' ', '-')}-${nth}`, settings: made(scene) },
  }),
});

const faulty = filled('a\n', ACCESS_FILE_BYTES);
const grouped = `[groups]\n${filled('@', 100)}\n${range(15_000)
  .map((index) => `g${index}=@g${index + 1}`)
  .join('\n')}`.slice(0, ACCESS_FILE_BYTES);

export const svnWrites: readonly Kind[] = [
  accessFile('faults, by an outsider', OUTSIDER, faulty),
  accessFile('faults', ADMIN, faulty),
  accessFile('continued lines', ADMIN, `[groups]\ng=a\n${filled(' ,a\n', ACCESS_FILE_BYTES - 20)}`),
  accessFile('one line', ADMIN, `[groups]\ng=${filled('@g,', ACCESS_FILE_BYTES - 20)}`),
  accessFile('groups', ADMIN, grouped),
  accessFile('rules', ADMIN, `[/]\n${filled('@members=rw\n', ACCESS_FILE_BYTES - 10)}`),
  accessFile(
    'sections',
    ADMIN,
    range(18_000)
      .map((index) => `[:glob:/${index}]`)
      .join('\n'),
  ),
  accessFile('blanks', ADMIN, `[/]\n${' '.repeat(ACCESS_FILE_BYTES - 10)}`),
  settings('notifications', ({ project, users }) => notifications([`${project}_3`], [], users.slice(0, ITEMS))),
  settings('addresses', () =>
    notifications(
      [],
      range(ITEMS).map((mail) => `${mail}@${'example.'.repeat(4)}org`),
      [],
    ),
  ),
  settings('paths that are given again', () => ({
    email_notifications: [
      { path: `/${'a'.repeat(BODY_BYTES / 2)}`, emails: range(ITEMS).map(() => 'a'), users: [], user_groups: [] },
    ],
  })),
  settings('tags', () => ({
    immutable_tags: { paths: range(MOST / 2).map(() => '/a/b'), whitelist: range(MOST / 2).map(() => '/a/b') },
  })),
  settings('one long tag', () => ({ immutable_tags: { paths: ['/'.repeat(BODY_BYTES - 1000)], whitelist: [] } })),
];
