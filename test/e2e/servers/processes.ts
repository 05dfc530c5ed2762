/** Several processes over one pair of servers, and ways to look at these from outside. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { all } from '../../../projections/all.js';
import { type EventLog, type Recorded } from '../../../src/core/event-log.js';
import { type Role } from '../../../src/config/server-config.js';
import { eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { projectionDocuments, type StoredProjection } from '../../../src/stores/mongodb/projection-documents.js';
import { type Answer } from '../../support/client.js';
import { type Double } from '../../support/eventstoredb/double.js';
import {
  killAll,
  launch,
  NO_FILE,
  PLATFORM_FILE,
  ready,
  type Environment,
  type ServiceProcess,
} from '../../support/process.js';
import { serverStores, type ServerStores } from '../../support/stores.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { eventually } from './eventually.js';

export interface Processes {
  readonly stores: ServerStores;
  readonly directory: string;
  /** The platform of other specs, in which one may have repositories and delete more. */
  readonly platformFile: string;
  readonly log: EventLog;
  readonly db: Db;
  /** Resolves when the process is ready. Without a platform file, unless one is given. */
  start(role: Role, env?: Environment, release?: string): Promise<ServiceProcess>;
  /** What a command needs to know. */
  env(): Environment;
  projections(): Promise<readonly StoredProjection[]>;
  /** Resolves once one process alone, and none of those that held any lease before, has all projections. */
  heldByOther(before: ReadonlySet<string>): Promise<string>;
  holders(): Promise<ReadonlySet<string>>;
  events(): Promise<readonly Recorded[]>;
  /** Kills whatever process still runs. */
  close(): Promise<void>;
}

/** With their log on the double where one is given. */
export async function processes(double?: Double): Promise<Processes> {
  const { path: directory, remove } = await temporaryDirectory();
  const stores = await serverStores('mongo-java-server', double);
  const { connectionString, prefix } = stores;
  const log = await eventStoreDbLog({ connectionString, prefix });
  const client = new MongoClient(stores.database.url);
  const db = client.db();
  const projections: Processes['projections'] = () => projectionDocuments(db).find().toArray();
  const holders = async (): Promise<ReadonlySet<string>> =>
    new Set((await projections()).flatMap(({ lease }) => lease?.holder ?? []));
  let started = 0;
  const env: Processes['env'] = () => {
    const dataDir = join(directory, `process-${(started += 1)}`);
    return { ...stores.env, DATA_DIR: dataDir, NODE_ENV: 'test' };
  };
  return {
    stores,
    directory,
    platformFile: platformIn(directory),
    log,
    db,
    start: (role, more = NO_FILE, release) => {
      const given = env();
      return ready(launch(given['DATA_DIR']!, { ...given, ROLE: role, ...more }, release));
    },
    env,
    projections,
    holders,
    heldByOther: async (before) => {
      await eventually('another process has all projections', async () => {
        const held = (await projections()).flatMap(({ lease }) => lease?.holder ?? []);
        return held.length === all.length && new Set(held).size === 1 && held.every((one) => !before.has(one));
      });
      return [...(await holders())].join();
    },
    events: async () => {
      const events: Recorded[] = [];
      for await (const batch of log.readAll(null, [])) events.push(...batch.events);
      return events;
    },
    close: async () => {
      await killAll();
      await log.close();
      await stores.remove();
      await client.close();
      await remove();
    },
  };
}

function platformIn(directory: string): string {
  const file = join(directory, 'platform.yaml');
  const text = readFileSync(PLATFORM_FILE, 'utf8');
  const changed = text
    .replace('    label: Hydra\n', '    label: Hydra\n    svn: true\n')
    .replace('deletion_limit: 5', 'deletion_limit: 100');
  writeFileSync(file, changed);
  return file;
}

/** Ids of what the platform file has made. */
export interface Names {
  readonly project: number;
  readonly tracker: number;
  readonly field: (name: string) => number;
}

/** Of the project hydra and its bugs. */
export async function namesIn(service: ServiceProcess): Promise<Names> {
  const projects = (await service.get('/projects', { as: 'alice' })).body as { id: number; shortname: string }[];
  const project = projects.find(({ shortname }) => shortname === 'hydra')!.id;
  const trackers = (await service.get(`/projects/${project}/trackers`, { as: 'alice' })).body as {
    id: number;
    item_name: string;
    fields: { name: string; field_id: number }[];
  }[];
  const { id, fields } = trackers.find(({ item_name: name }) => name === 'bug')!;
  return { project, tracker: id, field: (name) => fields.find((field) => field.name === name)!.field_id };
}

/** Processes of these roles at once, over the platform of the specs or another one, and what is in it. */
export async function started<const Roles extends readonly Role[]>(
  them: Processes,
  roles: Roles,
  env: Environment = { PLATFORM_FILE: them.platformFile },
): Promise<{
  readonly services: { readonly [Index in keyof Roles]: ServiceProcess };
  readonly names: Names;
  readonly bug: Bugs;
}> {
  const services = await Promise.all(roles.map((role) => them.start(role, env)));
  const names = await namesIn(services[0]!);
  return { services: services as { [Index in keyof Roles]: ServiceProcess }, names, bug: bugs(names) };
}

/** Requests about bugs to whichever process. */
export interface Bugs {
  submit(service: ServiceProcess, title: string, headers?: Environment): Promise<Answer>;
  created(service: ServiceProcess, title: string): Promise<number>;
  change(service: ServiceProcess, id: number, title: string, headers?: Environment): Promise<Answer>;
  remove(service: ServiceProcess, id: number): Promise<Answer>;
}

export function bugs({ tracker, field }: Names): Bugs {
  const titled = (title: string) => [{ field_id: field('title'), value: title }];
  const submit: Bugs['submit'] = (service, title, headers = {}) =>
    service.post('/artifacts', { as: 'alice', headers, body: { tracker: { id: tracker }, values: titled(title) } });
  return {
    submit,
    created: async (service, title) => {
      const { status, body } = await submit(service, title);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return Number(body.id);
    },
    change: (service, id, title, headers = {}) =>
      service.put(`/artifacts/${id}`, { as: 'alice', headers, body: { values: titled(title) } }),
    remove: (service, id) => service.request('DELETE', `/artifacts/${id}`, { as: 'alice' }),
  };
}

/** How often each status came. */
export function tally(answers: readonly Pick<Answer, 'status'>[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The work of each, all at once: those with even numbers for the one, the others for the other. */
export function halfEach<T>(
  count: number,
  [one, other]: readonly [ServiceProcess, ServiceProcess],
  work: (service: ServiceProcess, index: number) => Promise<T>,
): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index % 2 === 0 ? one : other, index)));
}
