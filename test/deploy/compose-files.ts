/** Compose files as Compose reads them, as far as ours go: anchors, `extends`, and one file laid over another. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const BASE = 'docker-compose.yml';
export const CLUSTER = 'docker-compose.cluster.yml';

type Texts = Readonly<Record<string, string>>;

export interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly user?: string;
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly privileged?: boolean;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Texts;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly logging?: { readonly options?: Texts };
  readonly deploy?: {
    readonly replicas?: number;
    readonly resources?: { readonly limits?: Readonly<Record<string, unknown>> };
  };
}

export interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean; readonly driver_opts?: Texts }>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

type Tree = Readonly<Record<string, unknown>>;

export const textOf = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

/** Throws for a key that is there twice. */
export const parsed = (text: string): unknown => parse(text, { merge: true, uniqueKeys: true });

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const followsSpecification = ajv.compile(JSON.parse(textOf('test/deploy/compose-spec.json')) as object);

const strings = { type: 'array', items: { type: 'string' } };
const texts = { type: 'object', additionalProperties: { type: 'string' } };

/** Of the spellings that Compose knows, those that the rules can read. */
const isReadable = ajv.compile({
  type: 'object',
  properties: {
    services: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          build: { type: 'string' },
          command: strings,
          entrypoint: strings,
          environment: texts,
          secrets: strings,
          volumes: strings,
          networks: strings,
          ports: strings,
          depends_on: { type: 'object' },
          healthcheck: { properties: { test: strings } },
          extends: { type: 'object', required: ['file', 'service'] },
        },
      },
    },
    secrets: {
      type: 'object',
      additionalProperties: { required: ['file'], additionalProperties: false, properties: { file: {} } },
    },
  },
});

/** What a file does not keep of the Compose Specification. */
export function schemaFaults(document: unknown): readonly string[] {
  return [followsSpecification, isReadable].flatMap((check) =>
    check(document) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`),
  );
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists that a later file replaces; others it adds to. */
const REPLACED = new Set(['command', 'entrypoint', 'test']);

function laidOver(base: Tree, over: Tree): Tree {
  const both = Object.entries(over).map(([key, value]) => [key, together(key, base[key], value)] as const);
  return { ...base, ...Object.fromEntries(both) };
}

function together(key: string, before: unknown, after: unknown): unknown {
  if (isTree(before) && isTree(after)) return laidOver(before, after);
  if (!Array.isArray(before) || !Array.isArray(after) || REPLACED.has(key)) return after;
  if (key !== 'volumes') return [...new Set<unknown>([...before, ...after])];
  const targets = new Set(after.map(targetOf));
  return [...before.filter((mount) => !targets.has(targetOf(mount))), ...after];
}

/** Where in the container a mount like `files:/srv/files:ro` is. */
export const targetOf = (mount: unknown): string => String(mount).split(':')[1] ?? '';

function document(file: string): Tree {
  const found = parsed(textOf(file));
  if (!isTree(found)) throw new Error(`${file} is not a Compose file`);
  return { ...found, services: extended(found['services']) };
}

function extended(services: unknown): Tree {
  if (!isTree(services)) return {};
  return Object.fromEntries(Object.entries(services).map(([name, service]) => [name, inherited(service)]));
}

function inherited(service: unknown): unknown {
  if (!isTree(service) || !isTree(service['extends'])) return service;
  const { extends: from, ...own } = service;
  const { file, service: name } = from as { file: string; service: string };
  const base = (document(file)['services'] as Tree)[name];
  if (!isTree(base)) throw new Error(`${file} has no service ${name}`);
  return laidOver(base, own);
}

/** Of files that keep the schema: what Compose makes of them together. */
export function project(...files: readonly string[]): Project {
  const empty = { services: {}, networks: {}, volumes: {}, secrets: {} };
  return files.map(document).reduce(laidOver, empty) as unknown as Project;
}

/** Without an environment: `${NAME:-default}` is its default. */
export const interpolated = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
