import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Programs with packages of their own, which are linked as they are. */
const CLIENTS = join('test', 'clients');

const PROGRAM = ['src', 'projections'];
export const PROGRAM_AND_SPECS = [...PROGRAM, 'test', 'bench', 'docs'];

let built: string | undefined;

/** The path of one of our modules, compiled: beside this one, or where this one is run from source once for all. */
export function compiled(module: string): string {
  built ??= import.meta.url.endsWith('.ts') ? build(PROGRAM) : ROOT;
  return join(built, module);
}

const BUNDLE = 'dist';

/** Another release, whose projection of that name has this version. Its program is in the directory until the process ends. */
export function releaseWith(projection: string, version: number): string {
  const sources = dirname(realpathSync(join(ROOT, 'package.json')));
  const out = temporary();
  for (const name of readdirSync(sources)) {
    if (PROGRAM.includes(name)) cpSync(join(sources, name), join(out, name), { recursive: true });
    else if (name !== BUNDLE) symlinkSync(join(sources, name), join(out, name));
  }
  const release = join(out, BUNDLE);
  install(release, projection, version);
  return release;
}

/** In place of the release that is there: one whose projection of that name has this version. */
export function install(release: string, projection: string, version: number): void {
  const sources = dirname(release);
  const path = join(sources, 'projections', `${projection}.ts`);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/version: \d+/, `version: ${version}`));
  bundle(sources, release);
}

/** What is shipped: the entry points of processes and threads, in few files. `out` may have other modules of the program. */
function bundle(sources: string, out: string): void {
  const { status, error } = spawnSync(process.execPath, [join(sources, 'bundle.js'), out], {
    cwd: sources,
    stdio: 'inherit',
  });
  if (status !== 0) throw error ?? new Error(`The program was not bundled: status ${String(status)}`);
}

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tracker-ledger-build-'));
  process.on('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/**
 * A directory like that of the project until the process ends. In these folders each module is compiled too, unchecked, for
 * specs; processes and threads run the bundle.
 */
export function build(folders: readonly string[]): string {
  const out = temporary();
  for (const name of readdirSync(ROOT).filter((other) => !folders.includes(other))) link(name, out);
  const files = folders.flatMap(filesIn);
  for (const file of files) link(file, out);
  if (folders.includes('test')) link(CLIENTS, out);
  const entryPoints = files.filter((file) => file.endsWith('.ts')).map((file) => join(ROOT, file));
  buildSync({ entryPoints, outdir: out, outbase: ROOT, format: 'esm', sourcemap: 'inline', logLevel: 'warning' });
  bundle(ROOT, out);
  return out;
}

function link(name: string, out: string): void {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  symlinkSync(join(ROOT, name), join(out, name));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .filter((file) => !file.startsWith(CLIENTS));
}
