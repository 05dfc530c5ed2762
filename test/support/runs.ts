/** What the second half of `npm test` runs: which specs, and on which stores. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
/** What runs the whole service. */
const SERVICE = join(TESTS, 'support', 'service.ts');
const IMPORTED = /^(?:import|export) [^;]*? from '(\.[^']+)\.js';$/gm;
/** What runs it as a process, and looks at nothing that a process keeps in its data directory. */
const IN_A_PROCESS: readonly string[] = [join('e2e', 'process', 'log.e2e.spec.ts')];

/** What a browser, and a compiler, make of answers that are the same on all stores. */
const ON_ANY_STORES: readonly string[] = [
  join('http', 'explorer', 'browser.e2e.spec.ts'),
  join('http', 'openapi', 'typed-client.e2e.spec.ts'),
];

/** Those of several processes that run on whatever servers they are given. */
const PROCESSES = /^e2e[\\/]servers[\\/]processes-(?!secured)[^\\/]*\.e2e\.spec\.ts$/;

/** All kinds of specs: those that take longest first, so that none of them is left at the end while nothing else runs. */
export const KINDS = ['e2e', 'int', 'deploy', 'unit'] as const;

export const STAND_IN = 'mongo-java-server';

export interface Run {
  /** Whose servers they are. */
  readonly on: string;
  /** As TEST_STORES names them. */
  readonly stores: string;
  readonly files: readonly string[];
}

/** Of these kinds. `urls`: variables that name servers. `missing`: why the stand-in cannot be started; null when it can. */
export function runs(
  urls: readonly string[],
  missing: string | null,
  kinds: readonly string[] = KINDS,
): readonly Run[] {
  const specs = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    kinds.some((kind) => file.endsWith(`.${kind}.spec.ts`)),
  );
  const service = specs
    .filter((file) => !file.startsWith(join('e2e', 'servers')) && !ON_ANY_STORES.includes(file))
    .filter((file) => IN_A_PROCESS.includes(file) || usesService(join(TESTS, file)));
  const several = specs.filter((file) => PROCESSES.test(file));
  const paths = (files: readonly string[]): readonly string[] => files.map((file) => join(TESTS, file));
  const onStandIns = { on: `an EventStoreDB double and ${STAND_IN}`, stores: STAND_IN, files: paths(service) };
  const onServers = {
    on: `the servers of ${urls.join(' and ')}`,
    stores: 'servers',
    files: paths([...service, ...several]),
  };
  return [
    ...(missing === null ? [onStandIns] : []),
    // A server that is not named is a stand-in's place.
    ...(urls.includes('MONGODB_TEST_URL') || (urls.length > 0 && missing === null) ? [onServers] : []),
  ];
}

/** Itself or through what it imports from beside the specs. */
function usesService(module: string, seen = new Set<string>()): boolean {
  if (module === SERVICE) return true;
  if (seen.has(module) || !module.startsWith(TESTS)) return false;
  seen.add(module);
  return importsOf(module).some((imported) => usesService(imported, seen));
}

function importsOf(module: string): readonly string[] {
  const paths = readFileSync(module, 'utf8').matchAll(IMPORTED);
  return [...paths].map(([, path = '']) => join(dirname(module), `${path}.ts`));
}
