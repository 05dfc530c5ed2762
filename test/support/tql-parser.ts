/** `npm run parser`: generates the parser of TQL from its grammar, after a change of that. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import peggy from 'peggy';

const FOLDER = new URL('../../src/artifacts/tql/', import.meta.url);
export const PARSER = fileURLToPath(new URL('generated/parser.ts', FOLDER));

/** TypeScript, of which peggy tells no types. */
export function generatedParser(): string {
  const grammar = readFileSync(new URL('tql.peggy', FOLDER), 'utf8');
  return `// @ts-nocheck\n${peggy.generate(grammar, { output: 'source', format: 'es' })}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PARSER, generatedParser());
