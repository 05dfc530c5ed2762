/** A platform whose projects differ in what svn asks of them, and requests on it as specs about repositories make them. */
import { type RunningService, runService } from '../support/service.js';

const user = (username: string, more = ''): string =>
  `  - { username: ${username}, real_name: ${username} Smith, email: ${username}@example.org, password: "${username}'s password"${more} }`;

const PLATFORM = `
settings: { anonymous_access: true }
users:
${user('root', ', site_admin: true')}
${['pam', 'tim', 'max', 'eve'].map((name) => user(name)).join('\n')}
${user('ex', ', status: suspended')}
projects:
  - shortname: hydra
    label: Hydra
    admins: [pam]
    members: [tim, ex]
    svn: true
    user_groups: [{ short_name: developers, label: Developers, members: [tim] }]
  - shortname: other
    label: Other
    admins: [pam]
    svn: true
    user_groups: [{ short_name: others, label: Others, members: [tim] }]
  - { shortname: plain, label: Plain, admins: [pam] }
  - { shortname: closed, label: Closed, access: private, admins: [max], svn: true }
  - { shortname: frozen, label: Frozen, status: suspended, admins: [pam], svn: true }
`;

export const COMMIT_RULES = { is_reference_mandatory: true, is_commit_message_change_allowed: false };

export const ALL_SETTINGS = {
  commit_rules: COMMIT_RULES,
  immutable_tags: { paths: [], whitelist: [] },
  access_file: '',
  email_notifications: [],
};

export interface SvnApi extends RunningService {
  project(shortname: string): number;
  group(shortName: string): number;
  /** As pam, who administers hydra, where the repository goes. */
  create(name: string, more?: object): ReturnType<RunningService['post']>;
  created(name: string, more?: object): Promise<number>;
  remove(id: number, as?: string): ReturnType<RunningService['post']>;
  /** The events of the streams of one category. */
  eventsOf(id: number): Promise<readonly string[]>;
}

export async function svnApi(): Promise<SvnApi> {
  const running = await runService({ platform: PLATFORM });
  const { definitions, log } = running.service;
  const project = (shortname: string): number => definitions.projectNamed(shortname)!.id;
  const create: SvnApi['create'] = (name, more = {}) =>
    running.post('/svn', { as: 'pam', body: { project_id: project('hydra'), name, ...more } });
  return {
    ...running,
    project,
    group: (shortName) =>
      definitions.projects().flatMap(({ groups }) => groups.filter((group) => group.shortName === shortName))[0]!.id,
    create,
    created: async (name, more) => {
      const { status, body } = await create(name, more);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return Number(body.id);
    },
    remove: (id, as = 'pam') => running.request('DELETE', `/svn/${id}`, { as }),
    eventsOf: async (id) => (await log.read(`svn-${id}`)).events.map(({ type }) => type),
  };
}

/** Status, and where what is wrong stands. */
export function refusal({ status, body }: Awaited<ReturnType<RunningService['get']>>) {
  const details: readonly { readonly pointer: string }[] = body.error.details ?? [];
  return { status, pointers: details.map(({ pointer }) => pointer) };
}
