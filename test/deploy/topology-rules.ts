/** Who is there, how often, and who leads to whom. */
import { interpolated, targetOf, textOf, type Service } from './compose-files.js';
import { each, isMongoDb, type Rule } from './compose-rules.js';

const DOUBLED = ['api', 'projections'];

/** One of two may be lost, or exchanged, while the other goes on. */
const replicas: Rule = ({ services }) =>
  DOUBLED.filter((name) => services[name]?.deploy?.replicas !== 2).map((name) => `${name} is not there twice`);

const MAKER = '/deploy/replica-set.mongodb';

/** All members call the set by the name that the script makes it under, and a service runs that script. */
const replicaSet: Rule = (project) => {
  const [, set = ''] = /^const SET = '(\w+)';$/m.exec(textOf(MAKER.slice(1))) ?? [];
  const members = each((service) => {
    if (!isMongoDb(service)) return [];
    return [[service.command?.includes(`--replSet=${set}`) !== true, `is no member of the replica set ${set}`]];
  });
  const isMaker = ({ restart, entrypoint = [], volumes = [] }: Service): boolean =>
    restart === 'no' &&
    entrypoint.join(' ').endsWith(`--file ${MAKER}`) &&
    volumes.some((mount) => mount.startsWith(`.${MAKER}:`) && targetOf(mount) === MAKER);
  const isMade = Object.values(project.services).some(isMaker);
  return [...members(project), ...(isMade ? [] : ['nobody makes the replica set'])];
};

const CONFIGURATION = 'deploy/haproxy.cfg';

type Findings = readonly (readonly [isWrong: boolean, fault: string])[];

/** Where the proxy leads to, by the text of its configuration. */
export const proxied =
  (configuration = textOf(CONFIGURATION)): Rule =>
  ({ services: { proxy = {}, ...others } }) => {
    const isMounted = proxy.volumes?.includes(`./${CONFIGURATION}:/usr/local/etc/haproxy/haproxy.cfg:ro`);
    const findings: Findings = [
      [isMounted !== true, 'has another configuration'],
      ...ledTo(configuration).flatMap(({ slots, host, port }): Findings => {
        const server = others[host] ?? {};
        return [
          [!shareNetwork(proxy, server), `has no network in common with ${host}`],
          ...listening(server, host, port),
          [slots < (server.deploy?.replicas ?? 1), `finds ${slots} of ${host}`],
        ];
      }),
      ...boundPorts(proxy, configuration),
    ];
    return findings.filter(([isWrong]) => isWrong).map(([, fault]) => `proxy ${fault}`);
  };

interface Way {
  readonly slots: number;
  readonly host: string;
  readonly port: string;
}

/** By each of its backends; by one that leads nowhere, where there is none. */
function ledTo(configuration: string): readonly Way[] {
  const backends = configuration.match(/^backend .*$/gm) ?? [''];
  const templates = [...configuration.matchAll(/^ *server-template \S+ (\d+) (\S+):(\d+) /gm)];
  return backends.map((_, n) => {
    const [, slots = '0', host = '', port = ''] = templates[n] ?? [];
    return { slots: Number(slots), host, port };
  });
}

function listening({ environment = {} }: Service, host: string, port: string): Findings {
  const { ROLE: role, PORT: own = 'no port' } = environment;
  return [
    [role !== 'api', `leads to ${host}, which is not the API`],
    [port !== own, `leads to port ${port} of ${host}, which listens on ${own}`],
  ];
}

function shareNetwork(one: Service, other: Service): boolean {
  return one.networks?.some((network) => other.networks?.includes(network)) === true;
}

/** Whoever comes in by a port that is published finds somebody there. */
function boundPorts({ ports = [] }: Service, configuration: string): Findings {
  const targets = ports.map((published) => targetOf(interpolated(published)));
  const isBound = (target: string): boolean => new RegExp(`^ *bind :${target}\\b`, 'm').test(configuration);
  return targets.map((target) => [!isBound(target), `does not listen on ${target}`]);
}

export const TOPOLOGY_RULES = { replicas, replicaSet, proxied: proxied() } satisfies Readonly<Record<string, Rule>>;
