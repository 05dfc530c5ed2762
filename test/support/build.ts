import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let built: string | undefined;

/** The path of one of our modules, compiled: all of them once in a run of the specs, without a check of types. */
export function compiled(module: string): string {
  built ??= build();
  return join(built, module);
}

function build(): string {
  const out = mkdtempSync(join(tmpdir(), 'tracker-ledger-build-'));
  process.on('exit', () => {
    rmSync(out, { recursive: true, force: true });
  });
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  for (const file of ['src', 'projections'].flatMap(sources)) {
    const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), 'utf8'), { compilerOptions });
    const target = join(out, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
  writeFileSync(join(out, 'package.json'), readFileSync(join(ROOT, 'package.json')));
  symlinkSync(join(ROOT, 'node_modules'), join(out, 'node_modules'));
  return out;
}

function sources(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}
