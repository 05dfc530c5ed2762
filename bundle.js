/** The second half of `npm run build`: the program in few files, because Node takes most of a start to find and read modules. */
import { buildSync } from 'esbuild';

const THREADS = [
  'src/stores/sqlite/event-log/thread.ts',
  'src/stores/sqlite/read-models/long-queries/thread.ts',
  'src/artifacts/rendering/worker.ts',
  'projections/workers/worker.ts',
];

buildSync({
  entryPoints: ['src/main.ts', 'src/cli/tracker-ledger.ts', ...THREADS],
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  outbase: '.',
  outdir: 'dist',
  // Those of an earlier build stay: a process that runs may still load them.
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
});
