import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** Another release, whose projection of that name has this version. Its program is in the directory until the process ends. */
export function releaseWith(projection: string, version: number): string {
  const from = compiled('.');
  const out = temporary();
  for (const name of readdirSync(from)) {
    if (PROGRAM.includes(name)) cpSync(join(from, name), join(out, name), { recursive: true, dereference: true });
    else symlinkSync(join(from, name), join(out, name));
  }
  const path = join(out, 'projections', `${projection}.js`);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/version: \d+/, `version: ${version}`));
  return out;
}

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tracker-ledger-build-'));
  process.on('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** A directory like that of the project until the process ends; in these folders each module is compiled too, unchecked. */
export function build(folders: readonly string[]): string {
  const out = temporary();
  for (const name of readdirSync(ROOT).filter((other) => !folders.includes(other))) link(name, out);
  const files = folders.flatMap(filesIn);
  for (const file of files) link(file, out);
  if (folders.includes('test')) link(CLIENTS, out);
  const entryPoints = files.filter((file) => file.endsWith('.ts')).map((file) => join(ROOT, file));
  buildSync({ entryPoints, outdir: out, outbase: ROOT, format: 'esm', sourcemap: 'inline', logLevel: 'warning' });
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
