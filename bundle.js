/**
 * The second half of `npm run build`: the program in few files, because Node takes most of a start to find and read modules.
 * `node bundle.js [FOLDER]`, from the root of the project; without a folder, to `dist`.
 */
import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

const THREADS_AND_PROCESSES = [
  'src/composition/reading/process.ts',
  'src/stores/sqlite/event-log/thread.ts',
  'src/stores/sqlite/read-models/long-queries/thread.ts',
  'src/artifacts/rendering/worker.ts',
  'projections/workers/worker.ts',
];

/** Of many files each, all of JavaScript, and loaded by every start. The other packages stay where they are. */
const BUNDLED = [
  '@koa/router',
  'ajv',
  'ajv-formats',
  'commander',
  'entities',
  'jsonwebtoken',
  'koa',
  'koa-compress',
  'leven',
];
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
/** It calls a deprecated parser of Node, which warns of calls from anywhere but the folder of packages. */
const WARNED_OF = ['parseurl'];
const external = [...Object.keys(dependencies).filter((name) => !BUNDLED.includes(name)), ...WARNED_OF];

buildSync({
  entryPoints: ['src/cli/tracker-ledger.ts', ...THREADS_AND_PROCESSES],
  bundle: true,
  splitting: true,
  external,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // Bundled packages of CommonJS require modules of Node.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  legalComments: 'inline',
  sourcemap: true,
  outbase: '.',
  outdir: process.argv[2] ?? 'dist',
  // Those of an earlier build stay: a process that runs may still load them.
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
});
