import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { leaveOut } from '../../support/left-out.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Compiled where this one is. */
const EXTENSION = extname(import.meta.url);
const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));

/** One path, or several with colons between them. */
const binaries = (process.env['NEWER_NODE'] ?? '').split(':').filter((path) => path !== '');

/** The specs of what SQLite stores once more, where Node brings the engine that the adapters take when there is one. */
if (binaries.length === 0) {
  leaveOut('the stores on a newer Node', 'NEWER_NODE names no Node of version 24 or later');
}
for (const binary of binaries) {
  describe(`the stores on a newer Node, ${binary}`, () => {
    const onNewerNode = (args: readonly string[]) => onNode(binary, args);

    it('has a SQLite of its own', async () => {
      const { stdout } = await onNewerNode(['-p', 'typeof require("node:sqlite").DatabaseSync']);
      expect(stdout.trim()).to.equal('function');
    });

    it('keep their contracts', async function () {
      this.timeout(300_000);
      const specs = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter(
        (name) => name.endsWith(`.spec${EXTENSION}`) && !name.startsWith('newer-node.'),
      );
      const files = specs.map((name) => join(HERE, name));
      const fromSource = ['--import', import.meta.resolve('tsx'), '--no-experimental-require-module'];
      const mocha = [...(EXTENSION === '.ts' ? fromSource : []), MOCHA];
      const { stdout } = await onNewerNode([
        ...mocha,
        '--no-config',
        '--reporter',
        'json',
        '--timeout',
        '60000',
        ...files,
      ]);
      const { stats, failures } = JSON.parse(stdout.slice(stdout.indexOf('{\n'))) as Report;

      expect(failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`)).to.deep.equal([]);
      expect(stats.passes).to.be.greaterThan(specs.length);
    });
  });
}

interface Report {
  readonly stats: { readonly passes: number };
  readonly failures: readonly { readonly fullTitle: string; readonly err: { readonly message: string } }[];
}

/** Without the variable for coverage: what another Node counts cannot be added up with ours. */
async function onNode(binary: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  const env = { ...process.env, NODE_V8_COVERAGE: undefined };
  try {
    return await promisify(execFile)(binary, args, { env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    // Mocha ends with the number of failures: what it printed says more.
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout !== '') {
      return { stdout: error.stdout };
    }
    throw error;
  }
}
