/** The whole service over a platform of a spec's own, for the specs of the routes that tell what a platform has. */
import { type Answer } from './client.js';
import { runService, type RunningService } from './service.js';

interface UserEntry {
  readonly username: string;
  readonly real_name?: string;
  readonly email?: string;
  readonly site_admin?: boolean;
  readonly status?: 'active' | 'suspended';
}

/** A platform file, where users get what they do not name, their password too. */
export interface Platform {
  readonly users: readonly UserEntry[];
  readonly projects?: readonly object[];
}

export interface PlatformApi extends RunningService {
  project(shortname: string): number;
  group(shortName: string): number;
  /** What the platform does not name goes. */
  become(platform: Platform): Promise<void>;
}

/** Far enough apart for the few that specs make. */
const DISTANCE = 20;

/** Users, projects, groups and trackers have no id in common, so that none of them passes for another. */
export async function platformApi(platform: Platform): Promise<PlatformApi> {
  const running = await runService({ platform: '{}' });
  const { service } = running;
  const { definitions } = service;
  for (const [index, kind] of ['user', 'project', 'group', 'tracker'].entries()) {
    for (let left = index * DISTANCE; left > 0; left -= 1) await service.idsOf(kind).next();
  }
  const become = async (wanted: Platform): Promise<void> => {
    await running.operate('apply', { text: textOf(wanted), prune: true, env: {} });
  };
  await become(platform);
  return {
    ...running,
    project: (shortname) => definitions.projectNamed(shortname)!.id,
    group: (shortName) =>
      definitions.projects().flatMap(({ groups }) => groups.filter((group) => group.shortName === shortName))[0]!.id,
    become,
  };
}

/** JSON, which is YAML too. */
function textOf({ users, projects = [] }: Platform): string {
  const whole = users.map((user) => ({
    real_name: `${user.username} Smith`,
    email: `${user.username}@example.org`,
    password: `${user.username}'s password`,
    ...user,
  }));
  return JSON.stringify({ users: whole, projects });
}

/** One page: its items' member `name`, and the four headers. */
export function pageOf({ body, headers }: Answer, name: string) {
  const items: readonly unknown[] = Array.isArray(body) ? body : [];
  return {
    items: items.map((item) => memberOf(item, name)),
    headers: ['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX'].map((part) => Number(headers.get(`X-PAGINATION-${part}`))),
  };
}

function memberOf(item: unknown, name: string): unknown {
  if (typeof item !== 'object' || item === null) return undefined;
  return new Map<string, unknown>(Object.entries(item)).get(name);
}
