/** What has to agree among the servers of a cluster, and what is told about them. One server is a cluster of one. */
import { textOf, type Project, type Service } from './compose-files.js';
import { each, isEventStoreDb, isMongoDb, type Finding, type Rule } from './compose-rules.js';

const namesOf = ({ services }: Project, isMember: typeof isMongoDb): readonly string[] =>
  Object.entries(services)
    .filter(([, service]) => isMember(service))
    .map(([name]) => name);

/** The names that deploy/setup.sh has certificates made for. */
const certified = (variable: string): readonly string[] =>
  new RegExp(`${variable}=(\\S+)`).exec(textOf('deploy/setup.sh'))?.[1]?.split(',') ?? [];

const hosts = (names: readonly string[], port: number): string => names.map((name) => `${name}:${port}`).join();

const told = ({ services }: Project, service: string, variable: string, expected: string): readonly string[] =>
  services[service]?.environment?.[variable] === expected
    ? []
    : [`${service} has another ${variable} than ${expected}`];

const eventStoreDbCluster: Rule = (project) => {
  const names = namesOf(project, isEventStoreDb);
  const nodes = each((service, _, name) => {
    const { environment: options = {} } = service;
    if (!isEventStoreDb(service)) return [];
    const others = names.filter((other) => other !== name);
    return [
      [options['EVENTSTORE_CLUSTER_SIZE'] !== String(names.length), 'has another size of the cluster'],
      [(options['EVENTSTORE_GOSSIP_SEED'] ?? '') !== hosts(others, 2113), 'does not know the other nodes'],
      [options['EVENTSTORE_NODE_HOST_ADVERTISE_AS'] !== name, 'calls itself otherwise'],
      [options['EVENTSTORE_REPLICATION_HOST_ADVERTISE_AS'] !== name, 'calls itself otherwise to other nodes'],
      [!certified('EVENTSTOREDB_NAMES').includes(name), 'is not in the certificate'],
    ];
  });
  return [...nodes(project), ...told(project, 'setup', 'EVENTSTOREDB_HOSTS', hosts(names, 2113))];
};

const HEALTH = '/deploy/eventstoredb-health.sh';

/**
 * A quorum of empty nodes never starts beside one that has the log: each after the second waits for its predecessor to have
 * joined. The second waits for no health: before it, there is none.
 */
const startingOrder: Rule = (project) => {
  const names = namesOf(project, isEventStoreDb);
  return each((service, _, name) => {
    if (!isEventStoreDb(service)) return [];
    const isJoined = service.healthcheck?.test?.join(' ') === `CMD /bin/sh ${HEALTH}`;
    return [[!isJoined, 'may be healthy before it has joined'], ...waiting(service, names, name)];
  })(project);
};

function waiting({ depends_on = {} }: Service, names: readonly string[], name: string): readonly Finding[] {
  const at = names.indexOf(name);
  const before = names[at - 1] ?? '';
  const waited = names.filter((other) => depends_on[other]?.condition === 'service_healthy').join();
  if (at > 1) return [[waited !== before, `does not wait until ${before} is healthy`]];
  return [
    [at === 1 && depends_on[before]?.condition !== 'service_started', `does not start with ${before}`],
    [waited !== '', `waits for ${waited}, which is not healthy without it`],
  ];
}

const mongoDbCluster: Rule = (project) => {
  const names = namesOf(project, isMongoDb);
  const founders = names.filter((name) => project.services[name]?.environment?.['MONGO_INITDB_ROOT_USERNAME']);
  return [
    ...names
      .filter((name) => !certified('MONGODB_NAMES').includes(name))
      .map((name) => `${name} is not in the certificate`),
    ...(founders.join() === names[0] ? [] : [`not the first member alone has a user of its own: ${founders.join()}`]),
    ...told(project, 'setup', 'MONGODB_HOSTS', hosts(names, 27017)),
    ...told(project, 'mongodb-setup', 'MONGODB_HOSTS', hosts(names, 27017)),
  ];
};

export const CLUSTER_RULES = { eventStoreDbCluster, startingOrder, mongoDbCluster } satisfies Readonly<
  Record<string, Rule>
>;
