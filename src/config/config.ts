/** The environment, read once, checked as a whole. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Level } from 'pino';
import { messageOf } from '../core/concurrency/retry.js';
import { proxyMatcher } from '../http/client/client.js';
import { misspeltVariables, wordsFor, type MisspeltVariable } from './misspelt-variables.js';
import { ROLES, servers, type Given, type Role, type Servers } from './server-config.js';

export interface Config {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** Undefined: everything is kept in the data directory. */
  readonly servers: Servers | undefined;
  readonly role: Role;
  /** Processes that answer reads beside the main one. */
  readonly workers: number;
  /** How long a process that is to end goes on answering, as not ready, before it takes no more connections. */
  readonly drainMs: number;
  /** Where deleted artifacts go that are to be archived. */
  readonly archiveDir: string;
  readonly platformFile: string | undefined;
  /** The first signs tokens, all verify. Empty: one is made and kept in the data directory. */
  readonly jwtSecrets: readonly string[];
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly invalidCredentialsStatus: 500 | 401;
  readonly logLevel: Level | 'silent';
  readonly nodeEnv: string;
  readonly testClockOffsetFile: string | undefined;
  readonly misspelt: readonly MisspeltVariable[];
}

/** Names everything that is wrong, not only the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where no shell takes them off, as in a file for `docker run --env-file`, they would be part of a path. */
const QUOTED = /^(['"]).*\1$/s;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const MIN_SECRET_BYTES = 32;
/** Filled with zeros by a crash. Bytes that are no UTF-8 are read as U+FFFD. */
export const isDamagedSecret = (secret: string): boolean => /[\0\uFFFD]/.test(secret);
export const isShortSecret = (secret: string): boolean => Buffer.byteLength(secret) < MIN_SECRET_BYTES;

export function readConfig(env: Environment): Config {
  const faults: string[] = [];
  const known = new Set<string>();
  const text = (name: string): string | undefined => {
    known.add(name);
    const given = env[name]?.trim() || undefined;
    if (name.endsWith('_DIR') && QUOTED.test(given ?? '')) faults.push(`${name} has quotes around it; leave them out`);
    return given;
  };
  const oneOf = choosing(text, faults);
  const dataDir = text('DATA_DIR') ?? './data';
  const secret = textOrFile(text, faults);
  const jwtSecrets = secrets(secret('JWT_SECRET'), faults);
  const role = oneOf('ROLE', ROLES, 'all');
  const stores = servers({ text, secret, role, hasJwtSecret: jwtSecrets.length > 0 }, faults);

  const config: Config = Object.freeze({
    port: port(text('PORT') ?? '8080', faults),
    host: text('HOST') ?? '127.0.0.1',
    dataDir,
    servers: stores,
    role,
    workers: workers(text('WORKERS'), { role, servers: stores }, faults),
    drainMs: 1000 * count('DRAIN_SECONDS', text('DRAIN_SECONDS'), MOST_DRAIN_SECONDS, faults),
    archiveDir: text('ARCHIVE_DIR') ?? join(dataDir, 'archive'),
    platformFile: text('PLATFORM_FILE'),
    jwtSecrets,
    publicUrl: publicUrl(text('PUBLIC_URL'), faults),
    trustedProxies: trustedProxies(text('TRUSTED_PROXIES'), faults),
    invalidCredentialsStatus: oneOf('INVALID_CREDENTIALS_STATUS', ['500', '401'], '500') === '401' ? 401 : 500,
    logLevel: oneOf('LOG_LEVEL', LEVELS, 'info'),
    nodeEnv: text('NODE_ENV') ?? 'development',
    testClockOffsetFile: testClockOffsetFile(text('TEST_CLOCK_OFFSET_FILE'), text('NODE_ENV'), faults),
    // Last, when every known variable has been read.
    misspelt: misspeltVariables(env, known),
  });
  if (faults.length > 0) throw new ConfigError([...faults, ...config.misspelt.map(wordsFor)]);
  return config;
}

function choosing(text: (name: string) => string | undefined, faults: string[]) {
  return <Choice extends string>(name: string, choices: readonly Choice[], preset: Choice): Choice => {
    const given = text(name) ?? preset;
    const choice = choices.find((each) => each === given);
    if (choice === undefined) faults.push(`${name} must be one of ${choices.join(', ')}`);
    return choice ?? preset;
  };
}

function port(text: string, faults: string[]): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) faults.push('PORT must be a number from 0 to 65535');
  return Number(text);
}

const MOST_WORKERS = 32;
const MOST_DRAIN_SECONDS = 60;

function workers(given: string | undefined, { role, servers }: Pick<Config, 'role' | 'servers'>, faults: string[]) {
  const workers = count('WORKERS', given, MOST_WORKERS, faults);
  if (workers > 0 && (role !== 'all' || servers !== undefined)) {
    faults.push('WORKERS is only for the embedded service; with servers, start more processes with ROLE=api');
  }
  return workers;
}

function count(name: string, given = '0', most: number, faults: string[]): number {
  if (/^\d{1,2}$/.test(given) && Number(given) <= most) return Number(given);
  faults.push(`${name} must be a number from 0 to ${most}`);
  return 0;
}

function testClockOffsetFile(file: string | undefined, nodeEnv: string | undefined, faults: string[]) {
  if (file !== undefined && nodeEnv !== 'test') faults.push('TEST_CLOCK_OFFSET_FILE is only for NODE_ENV=test');
  return file;
}

/** A secret comes from the variable, or from the file that NAME_FILE names. */
function textOrFile(text: (name: string) => string | undefined, faults: string[]) {
  return (name: string): Given | undefined => {
    const given = text(name);
    const file = text(`${name}_FILE`);
    if (given !== undefined && file !== undefined) {
      faults.push(`${name} and ${name}_FILE are both set; remove one of them`);
      return undefined;
    }
    if (file === undefined) return given === undefined ? undefined : { name, text: given };
    const held = contents(`${name}_FILE`, file, faults);
    return held === undefined ? undefined : { name: `${name}_FILE`, text: held };
  };
}

function secrets(given: Given | undefined, faults: string[]): readonly string[] {
  if (given === undefined) return [];
  const found = splitSecrets(given.text);
  if (found.length === 0) faults.push(`${given.name} holds no secret`);
  if (found.some(isDamagedSecret)) faults.push(`${given.name} holds zeros or bytes that are no text`);
  if (found.some(isShortSecret)) {
    faults.push(`${given.name}: every secret needs at least ${MIN_SECRET_BYTES} bytes`);
  }
  return found;
}

/** One a line, or separated by commas. */
export function splitSecrets(source: string): readonly string[] {
  return source
    .split(/[\n,]/)
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
}

function contents(name: string, file: string, faults: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    faults.push(`${name} cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

function publicUrl(text: string | undefined, faults: string[]): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    faults.push('PUBLIC_URL must be the scheme and host of the service, such as https://ledger.example.org');
    return undefined;
  }
  return url.origin;
}

function trustedProxies(text: string | undefined, faults: string[]): readonly string[] {
  const proxies = (text ?? '').split(/[\s,]+/).filter((proxy) => proxy !== '');
  for (const proxy of proxies) {
    try {
      proxyMatcher([proxy]);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`TRUSTED_PROXIES: ${error.message}`);
    }
  }
  return proxies;
}
