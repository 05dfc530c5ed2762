/** What the schema does not say of Compose files for production. */
import { existsSync } from 'node:fs';
import { normalize } from 'node:path';
import { interpolated, ROOT, targetOf, textOf, type Project, type Service } from './compose-files.js';

/** Answers the faults that it finds. */
export type Rule = (project: Project) => readonly string[];

/** Whether it is so, and what to say then. */
export type Finding = readonly [isWrong: boolean, fault: string];

/** A rule that looks at one service after the other. */
export const each =
  (look: (service: Service, project: Project, name: string) => readonly Finding[]): Rule =>
  (project) =>
    Object.entries(project.services).flatMap(([name, service]) =>
      look(service, project, name)
        .filter(([isWrong]) => isWrong)
        .map(([, fault]) => `${name} ${fault}`),
    );

const FULL_TAG = /^[a-z0-9][\w./-]*:\d+\.\d+\.\d+[\w.-]*$/;
export const isPinned = (image: string): boolean => FULL_TAG.test(image);

const isOneShot = ({ restart }: Service): boolean => restart === 'no';
const of = (image: string) => (service: Service) => service.image?.startsWith(`${image}:`) === true;
export const isEventStoreDb = of('eventstore/eventstore');
export const isMongoDb = (service: Service): boolean => of('mongo')(service) && !isOneShot(service);
const isStore = (service: Service): boolean => isEventStoreDb(service) || isMongoDb(service);

const pinnedImages = each(({ image = '' }) => [[!isPinned(image), `has an image without a full version: ${image}`]]);

const ownImageVersion = each(({ image, build }) => {
  const { name, version } = JSON.parse(textOf('package.json')) as { name: string; version: string };
  return [[build !== undefined && image !== `${name}:${version}`, `is not built as ${name}:${version}`]];
});

const health = each((service, { services }, name) => {
  if (isOneShot(service)) {
    const isAwaited = Object.values(services).some(
      ({ depends_on }) => depends_on?.[name]?.condition === 'service_completed_successfully',
    );
    return [[!isAwaited, 'runs once, and nobody waits for it']];
  }
  const { test = [], disable = false } = service.healthcheck ?? {};
  return [
    [test.length < 2 || disable, 'has no health check'],
    [service.restart !== 'unless-stopped', 'does not come back after an end'],
  ];
});

const limits = each(({ deploy, logging }) => {
  const ofDeploy = deploy?.resources?.limits ?? {};
  const ofLog = logging?.options ?? {};
  return [
    ...['cpus', 'memory', 'pids'].map((limit): Finding => [!(limit in ofDeploy), `has no limit of ${limit}`]),
    ...['max-size', 'max-file'].map((limit): Finding => [!(limit in ofLog), `has no ${limit} of its log`]),
  ];
});

const confinement = each((service) => {
  const { build, user = build === undefined ? '' : 'of the image', cap_drop = [], security_opt = [] } = service;
  const isAlone = service.network_mode === 'none';
  return [
    [service.read_only !== true, 'can write to its root file system'],
    [cap_drop.join() !== 'ALL', 'keeps capabilities'],
    [!security_opt.includes('no-new-privileges:true'), 'can gain privileges'],
    [service.privileged === true, 'is privileged'],
    [user === '', 'does not say as whom it runs'],
    [/^(0|root)\b/.test(user) && !isAlone, 'is root on a network'],
    [service.cap_add !== undefined && !isAlone, 'has capabilities on a network'],
  ];
});

const ports = each(({ ports: published = [] }, _, name) => [
  [name !== 'proxy' && published.length > 0, `publishes ${published.join()}`],
]);

/** Only what is behind the proxy is on its networks, and only the proxy on one that leads outside. */
const networks: Rule = (project) => {
  const isInternal = (network: string): boolean => project.networks[network]?.internal === true;
  const outer = project.services['proxy']?.networks ?? [];
  return each((service, _, name) => {
    const own = service.networks ?? [];
    return [
      [own.length === 0 && service.network_mode !== 'none', 'is on the default network'],
      [name !== 'proxy' && !own.every(isInternal), 'is on a network that leads outside'],
      [isStore(service) && own.some((network) => outer.includes(network)), 'is on a network of the proxy'],
    ];
  })(project);
};

const GATEWAY = 'com.docker.network.bridge.gateway_mode_ipv4';

/** By the gateway of an internal network, containers reach what listens on the host. */
const gateways: Rule = ({ networks: all }) =>
  Object.entries(all)
    .filter(([, { internal, driver_opts = {} }]) => internal === true && gatewayOf(driver_opts) !== 'isolated')
    .map(([name]) => `${name} leads to the host`);

const gatewayOf = (options: Readonly<Record<string, string>>): string => interpolated(options[GATEWAY] ?? '');

const isPath = (source: string): boolean => /^[./~]/.test(source);

const sourceOf = (mount: string): string => mount.split(':')[0] ?? '';

const namesExist = each(({ secrets = [], networks: used = [], volumes = [], depends_on = {} }, project) => {
  const sources = volumes.map(sourceOf).filter((source) => !isPath(source));
  const missing = (kind: string, names: readonly string[], known: object): readonly Finding[] =>
    names.map((name) => [!Object.hasOwn(known, name), `names a ${kind} that there is not: ${name}`]);
  return [
    ...missing('secret', secrets, project.secrets),
    ...missing('network', used, project.networks),
    ...missing('volume', sources, project.volumes),
    ...missing('service', Object.keys(depends_on), project.services),
  ];
});

const namesAreUsed: Rule = ({ services, ...project }) => {
  const all = Object.values(services);
  const used = {
    secrets: all.flatMap(({ secrets = [] }) => secrets),
    networks: all.flatMap(({ networks: own = [] }) => own),
    volumes: all.flatMap(({ volumes = [] }) => volumes.map(sourceOf)),
  };
  return (['secrets', 'networks', 'volumes'] as const).flatMap((kind) =>
    Object.keys(project[kind])
      .filter((name) => !used[kind].includes(name))
      .map((name) => `nobody uses ${name} of the ${kind}`),
  );
};

const dependencies = each(({ depends_on = {} }, { services }) =>
  Object.entries(depends_on).map(([name, { condition }]) => {
    const waitsForEnd = condition === 'service_completed_successfully';
    const ends = isOneShot(services[name] ?? {});
    return [waitsForEnd !== ends, `waits for ${condition} of ${name}`];
  }),
);

const inRepository = (path: string): boolean => existsSync(`${ROOT}${normalize(path)}`);

const mounts = each(({ volumes = [] }) =>
  volumes
    .map((mount) => mount.split(':'))
    .filter(([source = '']) => isPath(source))
    .flatMap(([source = '', , mode]): readonly Finding[] => [
      [!source.startsWith('./deploy/'), `mounts ${source}, which is not of deploy`],
      [!inRepository(source), `mounts ${source}, which there is not`],
      [mode !== 'ro', `can write to ${source}`],
    ]),
);

const secretFiles: Rule = ({ secrets }) =>
  Object.values(secrets)
    .filter(({ file }) => !/^\.\/deploy\/secrets\/[\w.]+$/.test(file))
    .map(({ file }) => `${file} is not of deploy/secrets`);

const SECRET_NAME = /PASSWORD|SECRET|TOKEN|_URL|CREDENTIAL|API_KEY/;

const PRIVATE_FILE = /^(\/private\/\w+)?$/;

/** A variable of such a name holds the path of a file; PUBLIC_URL tells no secret. */
const environmentWithoutSecrets = each(({ environment = {} }) =>
  Object.entries(environment)
    .filter(([variable]) => SECRET_NAME.test(variable) && variable !== 'PUBLIC_URL')
    .map(([variable, value]) => [
      !variable.endsWith('_FILE') || !PRIVATE_FILE.test(value),
      `has ${variable} in its environment`,
    ]),
);

/** Each store has its data on a volume of its own. */
const data = each((service, { services }) => {
  if (!isStore(service)) return [];
  const directory = isMongoDb(service) ? '/data/db' : '/var/lib/eventstore';
  const volume = sourceOf(service.volumes?.find((mount) => targetOf(mount) === directory) ?? '');
  const holders = Object.values(services).filter(({ volumes = [] }) => volumes.map(sourceOf).includes(volume));
  return [
    [volume === '' || isPath(volume), 'does not keep its data on a volume'],
    [holders.length > 1, `shares ${volume}`],
  ];
});

const guardedEventStoreDb = each((service) => {
  if (!isEventStoreDb(service)) return [];
  const options = Object.keys(service.environment ?? {});
  return [
    [options.includes('EVENTSTORE_INSECURE'), 'can run without TLS and passwords'],
    [options.some((name) => name.includes('ANONYMOUS')), 'lets in anybody'],
    [!options.includes('EVENTSTORE_CERTIFICATE_FILE'), 'has no certificate'],
  ];
});

const guardedMongoDb = each((service) => {
  if (!isMongoDb(service)) return [];
  const { command = [] } = service;
  return [
    [!command.includes('--tlsMode=requireTLS'), 'takes connections without TLS'],
    [!command.some((option) => option.startsWith('--keyFile=')), 'asks for no password'],
  ];
});

/** What services, and the files that they mount, read in /private is put there by deploy/setup.sh. */
const privateFiles: Rule = (project) => {
  const made = Array.from(textOf('deploy/setup.sh').matchAll(/"\$private\/([\w/.]+)"/g), ([, file = '']) => file);
  const isMade = (path: string): boolean => made.some((file) => file === path || file.startsWith(`${path}/`));
  return each((service) => {
    const { volumes = [] } = service;
    const consumer = volumes.find((mount) => targetOf(mount) === '/private');
    if (consumer === undefined) return [];
    const mounted = volumes.map(sourceOf).filter((source) => isPath(source) && inRepository(source));
    const texts = [JSON.stringify(service), ...mounted.map(textOf)].join('\n');
    const folder = sourceOf(consumer).replace(/^private-/, '');
    const paths = Array.from(texts.matchAll(/\/private\/([\w/.]+)/g), ([, file = '']) => `${folder}/${file}`);
    return paths.map((path) => [!isMade(path), `reads ${path}, which nobody makes`]);
  })(project);
};

/** What looks like a password, a key or a token in a text that every reader may read. */
export function secretsIn(text: string): readonly string[] {
  const signs = [
    /changeit/i,
    /:\/\/[^\s:/$]+:[^\s@$]+@/,
    /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
    /\b[0-9a-f]{32,}\b/i,
    /\bpassword\s*[:=]\s*['"]?[\w-]{6,}/i,
  ];
  return signs.flatMap((sign) => interpolated(text).match(sign)?.[0] ?? []);
}

export const SERVICE_RULES = {
  pinnedImages,
  ownImageVersion,
  health,
  limits,
  confinement,
  ports,
  networks,
  gateways,
  namesExist,
  namesAreUsed,
  dependencies,
  mounts,
  secretFiles,
  environmentWithoutSecrets,
  data,
  guardedEventStoreDb,
  guardedMongoDb,
  privateFiles,
} satisfies Readonly<Record<string, Rule>>;
