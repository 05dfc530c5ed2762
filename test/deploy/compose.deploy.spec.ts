import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { readConfig, type Config } from '../../src/config/config.js';
import { CLUSTER_RULES } from './cluster-rules.js';
import {
  BASE,
  CLUSTER,
  interpolated,
  parsed,
  project,
  ROOT,
  schemaFaults,
  textOf,
  type Project,
} from './compose-files.js';
import { isPinned, secretsIn, SERVICE_RULES } from './compose-rules.js';
import { itFindsWhatIsSpoilt, itKeepsRules, type Spoilt } from './rules-over-projects.js';

const RULES = { ...SERVICE_RULES, ...CLUSTER_RULES };
type RuleName = keyof typeof RULES;

const one = project(BASE);
const cluster = project(BASE, CLUSTER);

/** For each rule, what it has to find fault with, and in what words. */
const BAD: Spoilt<RuleName> = {
  pinnedImages: [
    [({ services }) => (services.mongodb.image = 'mongo:latest'), /^mongodb has an image without a full version/],
    [({ services }) => (services.proxy.image = 'haproxy:3.2-alpine'), /^proxy/],
    [({ services }) => delete services.eventstoredb.image, /^eventstoredb/],
  ],
  ownImageVersion: [[({ services }) => (services.api.image = 'tracker-ledger:0.0.1'), /^api is not built as/]],
  health: [
    [({ services }) => delete services.api.healthcheck, /^api has no health check/],
    [({ services }) => (services.mongodb.healthcheck.disable = true), /^mongodb has no health check/],
    [({ services }) => delete services.projections.restart, /^projections does not come back/],
    [({ services }) => (services.proxy.restart = 'no'), /^proxy runs once, and nobody waits/],
  ],
  limits: [
    [({ services }) => delete services.api.deploy.resources.limits.memory, /^api has no limit of memory/],
    [({ services }) => delete services.setup.deploy, /^setup has no limit of cpus/],
    [({ services }) => delete services.proxy.logging.options['max-size'], /^proxy has no max-size/],
  ],
  confinement: [
    [({ services }) => (services.api.read_only = false), /^api can write to its root/],
    [({ services }) => (services.api.cap_drop = ['NET_RAW']), /^api keeps capabilities/],
    [({ services }) => (services.api.security_opt = []), /^api can gain privileges/],
    [({ services }) => (services.proxy.privileged = true), /^proxy is privileged/],
    [({ services }) => delete services.mongodb.user, /^mongodb does not say as whom/],
    [({ services }) => (services.mongodb.user = 'root'), /^mongodb is root on a network/],
    [({ services }) => delete services.setup.network_mode, /^setup has capabilities on a network/],
  ],
  ports: [[({ services }) => (services.mongodb.ports = ['27017:27017']), /^mongodb publishes 27017/]],
  networks: [
    [({ networks }) => delete networks.back.internal, /^api is on a network that leads outside/],
    [({ services }) => services.mongodb.networks.push('front'), /^mongodb is on a network of the proxy/],
    [({ services }) => services.proxy.networks.push('back'), /^eventstoredb is on a network of the proxy/],
    [({ services }) => delete services.projections.networks, /^projections is on the default network/],
  ],
  gateways: [
    [({ networks }) => delete networks.front.driver_opts, /^front leads to the host$/],
    [({ networks }) => delete networks.back.driver_opts, /^back leads to the host$/],
  ],
  namesExist: [
    [({ secrets }) => delete secrets.jwt_secret, /^setup names a secret that there is not: jwt_secret/],
    [({ networks }) => delete networks.front, /names a network that there is not: front/],
    [({ volumes }) => delete volumes.files, /names a volume that there is not: files/],
    [({ services }) => delete services.setup, /names a service that there is not: setup/],
  ],
  namesAreUsed: [
    [({ secrets }) => (secrets.old = { file: './deploy/secrets/old' }), /^nobody uses old of the secrets/],
    [({ services }) => delete services.proxy, /^nobody uses edge of the networks/],
    [({ volumes }) => (volumes.more = {}), /^nobody uses more of the volumes/],
  ],
  dependencies: [
    [({ services }) => (services.setup.restart = 'always'), /^api waits for service_completed_successfully of setup/],
    [
      ({ services }) => (services.api.depends_on['mongodb-setup'].condition = 'service_healthy'),
      /^api waits for service_healthy of mongodb-setup/,
    ],
  ],
  mounts: [
    [({ services }) => services.api.volumes.push('./src:/src:ro'), /^api mounts .\/src, which is not of deploy/],
    [
      ({ services }) => services.api.volumes.push('./deploy/no:/no:ro'),
      /^api mounts .\/deploy\/no, which there is not/,
    ],
    [({ services }) => services.proxy.volumes.push('/var/run/docker.sock:/s:ro'), /^proxy mounts .*docker.sock/],
    [({ services }) => services.api.volumes.push('./deploy/setup.sh:/x'), /^api can write to .\/deploy\/setup.sh/],
  ],
  secretFiles: [[({ secrets }) => (secrets.jwt_secret.file = './jwt'), /^.\/jwt is not of deploy\/secrets/]],
  environmentWithoutSecrets: [
    [({ services }) => (services.api.environment.JWT_SECRET = 'x'), /^api has JWT_SECRET in its environment/],
    [({ services }) => (services.api.environment.MONGODB_URL_FILE = '/tmp/url'), /^api has MONGODB_URL_FILE/],
  ],
  data: [
    [({ services }) => services.mongodb.volumes.pop(), /^mongodb does not keep its data on a volume/],
    [({ services }) => services.api.volumes.push('eventstoredb-data:/x'), /^eventstoredb shares eventstoredb-data/],
  ],
  guardedEventStoreDb: [
    [({ services }) => (services.eventstoredb.environment.EVENTSTORE_INSECURE = 'true'), /can run without TLS/],
    [({ services }) => (services.eventstoredb.environment.EVENTSTORE_ALLOW_ANONYMOUS_STREAM_ACCESS = ''), /anybody/],
    [({ services }) => delete services.eventstoredb.environment.EVENTSTORE_CERTIFICATE_FILE, /has no certificate/],
  ],
  guardedMongoDb: [
    [({ services }) => (services.mongodb.command = ['mongod', '--keyFile=/private/keyfile']), /without TLS/],
    [({ services }) => (services.mongodb.command = ['mongod', '--tlsMode=requireTLS']), /asks for no password/],
  ],
  privateFiles: [
    [
      ({ services }) => (services.api.environment.JWT_SECRET_FILE = '/private/jwt'),
      /^api reads ledger\/jwt, which nobody/,
    ],
    [({ services }) => (services.proxy.volumes[1] = 'private-mongodb:/private:ro'), /^proxy reads mongodb\/tls.pem/],
  ],
  eventStoreDbCluster: [
    [({ services }) => (services.eventstoredb.environment.EVENTSTORE_CLUSTER_SIZE = '5'), /another size/],
    [({ services }) => (services.eventstoredb.environment.EVENTSTORE_GOSSIP_SEED = 'x:2113'), /not know the other/],
    [({ services }) => (services.eventstoredb.environment.EVENTSTORE_NODE_HOST_ADVERTISE_AS = 'x'), /otherwise$/],
    [
      ({ services }) => delete services.eventstoredb.environment.EVENTSTORE_REPLICATION_HOST_ADVERTISE_AS,
      /otherwise to other nodes/,
    ],
    [({ services }) => (services.eventstoredb4 = services.eventstoredb), /^eventstoredb4 is not in the certificate/],
    [({ services }) => (services.setup.environment.EVENTSTOREDB_HOSTS = 'x:2113'), /^setup has another EVENTSTOREDB/],
  ],
  startingOrder: [
    [({ services }) => services.eventstoredb.healthcheck.test.pop(), /^eventstoredb may be healthy before it has/],
    [({ services }) => (services.eventstoredb2 = services.eventstoredb), /^eventstoredb2 does not start with eventsto/],
    [
      ({ services }) => (services.eventstoredb.depends_on.eventstoredb = { condition: 'service_healthy' }),
      /^eventstoredb waits for eventstoredb, which is not healthy without it/,
    ],
    [
      ({ services }) => (services.eventstoredb3 = services.eventstoredb2 = services.eventstoredb),
      /^eventstoredb3 does not wait until eventstoredb2 is healthy/,
    ],
  ],
  mongoDbCluster: [
    [({ services }) => (services.mongodb4 = services.mongodb), /^mongodb4 is not in the certificate/],
    [({ services }) => (services.mongodb4 = services.mongodb), /^not the first member alone/],
    [({ services }) => (services.setup.environment.MONGODB_HOSTS = 'x:27017'), /^setup has another MONGODB_HOSTS/],
    [({ services }) => (services['mongodb-setup'].environment.MONGODB_HOSTS = ''), /^mongodb-setup has another/],
  ],
};

describe('the compose files', () => {
  for (const file of [BASE, CLUSTER]) {
    it(`keep to the Compose Specification: ${file}`, () => {
      expect(schemaFaults(parsed(textOf(file)))).to.deep.equal([]);
    });
  }

  itKeepsRules(RULES, { one, cluster });

  it('make three servers each out of one', () => {
    const servers = (found: Project) =>
      Object.keys(found.services).filter((name) => /^(eventstore|mongo)db\d*$/.test(name));
    expect(servers(one)).to.deep.equal(['eventstoredb', 'mongodb']);
    expect(servers(cluster)).to.have.members([
      ...servers(one),
      'eventstoredb2',
      'eventstoredb3',
      'mongodb2',
      'mongodb3',
    ]);
  });

  it('say no secret, like all files of deploy', () => {
    const scripts = readdirSync(`${ROOT}deploy`, { withFileTypes: true }).filter((entry) => entry.isFile());
    const files = [BASE, CLUSTER, 'Dockerfile', ...scripts.map(({ name }) => `deploy/${name}`)];
    expect(files).to.have.length.above(6);
    for (const file of files) expect(secretsIn(textOf(file)), file).to.deep.equal([]);
  });

  describe('and the service', () => {
    let directory: string;
    before(() => {
      directory = mkdtempSync(join(tmpdir(), 'private-'));
    });
    after(() => {
      rmSync(directory, { recursive: true });
    });

    /** As deploy/setup.sh writes it. */
    const url = (scheme: string, hosts: string): string => {
      const line = new RegExp(`^${scheme}://.*$`, 'm').exec(textOf('deploy/setup.sh'))?.[0] ?? '';
      return line.replaceAll(/\$\w+_HOSTS/g, hosts).replaceAll(/\$\w+/g, 'f00');
    };

    const configOf = (name: string): Config => {
      const given = Object.entries(cluster.services[name]?.environment ?? {});
      const env = given.map(([key, value]) => [key, interpolated(value).replace('/private', directory)]);
      return readConfig(Object.fromEntries(env) as Record<string, string>);
    };

    for (const [name, role] of [
      ['api', 'api'],
      ['projections', 'worker'],
    ] as const) {
      it(`understand each other's environment: ${name}`, () => {
        const contents = {
          jwt_secret: 'x'.repeat(64),
          eventstoredb_url: url('esdb', 'one:2113,two:2113'),
          mongodb_url: url('mongodb', 'one:27017,two:27017'),
        };
        for (const [file, text] of Object.entries(contents)) writeFileSync(join(directory, file), `${text}\n`);
        const { servers, ...config } = configOf(name);
        expect(config).to.include({ role, nodeEnv: 'production', host: '0.0.0.0', port: 8080 });
        expect(servers).to.include({
          eventStoreDbUrl: 'esdb://admin:f00@one:2113,two:2113?tls=true&tlsCAFile=/private/ca.crt',
          filesDir: '/srv/files',
        });
        // Throws for an option that the driver does not know.
        const { options } = new MongoClient(contents.mongodb_url);
        expect(options).to.include({ tls: true, tlsCAFile: '/private/ca.crt', replicaSet: 'ledger', dbName: 'ledger' });
      });
    }
  });

  it('let the proxy notice that a process is to end, and wait for that end', () => {
    const { api } = cluster.services;
    const [, inter, fall] = /check inter (\d+)s fall (\d+)/.exec(textOf('deploy/haproxy.cfg')) ?? [];
    const drain = Number(api?.environment?.['DRAIN_SECONDS']);
    expect(drain).to.be.greaterThan(Number(inter) * Number(fall));
    expect(Number.parseInt(api?.stop_grace_period ?? '')).to.be.greaterThan(drain + 10);
  });

  it('name the versions that docs/production.md tells about, like the Dockerfile', () => {
    const named = Object.values(cluster.services).filter(({ build }) => build === undefined);
    const bases = [...textOf('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);
    const told = [...textOf('docs/production.md').matchAll(/^\| `(\S+:\S+)` \|/gm)].map(([, image = '']) => image);
    expect([...new Set([...named.map(({ image = '' }) => image), ...bases])]).to.have.members(told);
  });

  it('have their secrets in a place that is kept out of the repository', () => {
    expect(textOf('deploy/secrets/.gitignore')).to.equal('*\n!.gitignore\n');
  });
});

describe('the checks of compose files', () => {
  itFindsWhatIsSpoilt(RULES, BAD, one);

  it('can fail: the schema, unknown keys, and spellings that the rules cannot read', () => {
    const fault = (service: object) => schemaFaults({ services: { api: service } }).join('; ');
    expect(fault({ image: 'x' })).to.equal('');
    expect(fault({ image: 'x', imagee: 'x' })).to.match(/must NOT have (additional|unevaluated) properties/);
    expect(fault({ image: 'x', read_only: 'perhaps', restart: 5 })).to.match(/restart must be string/);
    expect(fault({ image: 'x', environment: ['A=b'] })).to.match(/environment must be object/);
  });

  it('can fail: a key that is there twice', () => {
    expect(() => parsed('services: {}\nservices: {}\n')).to.throw(/unique/);
  });

  it('can fail: full versions', () => {
    const good = [
      'mongo:8.0.20',
      'haproxy:3.2.22-alpine',
      'docker.example.org/a/b:24.10.14-x64',
      'node:24.19.0-bookworm-slim',
    ];
    const bad = [
      'mongo',
      'mongo:8',
      'mongo:8.0',
      'mongo:latest',
      'haproxy:3.2-alpine',
      'docker.example.org:5000/a',
      '',
    ];
    expect(good.filter((image) => !isPinned(image))).to.deep.equal([]);
    expect(bad.filter(isPinned)).to.deep.equal([]);
  });

  it('can fail: secrets in a text', () => {
    const bad = [
      'esdb://admin:changeit@localhost',
      'MONGODB_URL: mongodb://root:hunter2@mongodb',
      '-----BEGIN RSA PRIVATE KEY-----',
      `JWT_SECRET: ${'0123456789abcdef'.repeat(4)}`,
      'password: tracker-ledger',
    ];
    expect(bad.filter((text) => secretsIn(text).length === 0)).to.deep.equal([]);
    expect(secretsIn('esdb://admin:$password@$hosts')).to.deep.equal([]);
  });
});
