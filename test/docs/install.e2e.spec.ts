import { spawnSync } from 'node:child_process';
import { cpSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { DEMO_PASSWORD } from '../../src/demo/demo-platform.js';
import { started } from '../support/clone.js';
import { leaveOut } from '../support/left-out.js';
import { scriptOf } from '../support/shell-blocks.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const CHECKOUT = dirname(realpathSync(fileURLToPath(new URL('../../package.json', import.meta.url))));
/** What a clone does not have. */
const MADE_HERE = ['.git', '.ci/cache', 'node_modules', 'dist', 'coverage', 'data'];
const OF_THE_MACHINE = /^(home|https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(cache|registry|userconfig))$/i;

/** What npm needs to reach the registry as it does here, and its packages that are here already. */
function npmEnvironment(): Readonly<Record<string, string>> {
  const given = Object.entries(process.env).filter(([name]) => OF_THE_MACHINE.test(name));
  const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
  return { npm_config_cache: cache, npm_config_prefer_offline: 'true', ...Object.fromEntries(given) };
}

/** A write takes the threads of the log and of the projections, a text in Markdown that of rendering. */
async function expectThreads(url: string): Promise<void> {
  const headers = {
    Authorization: `Basic ${Buffer.from(`alice:${DEMO_PASSWORD}`).toString('base64')}`,
    'Content-Type': 'application/json',
  };
  const trackers = (await (await fetch(`${url}/api/projects/101/trackers`)).json()) as {
    readonly id: number;
    readonly fields: readonly { readonly field_id: number; readonly name: string; readonly type: string }[];
  }[];
  const { id, fields } = trackers.find(({ fields: all }) => all.some(({ name }) => name === 'title'))!;
  const text = fields.find(({ type }) => type === 'text')!;
  const title = fields.find(({ name }) => name === 'title')!;
  const values = [
    { field_id: title.field_id, value: 'Built' },
    { field_id: text.field_id, value: { content: '**bold**', format: 'commonmark' } },
  ];
  const body = JSON.stringify({ tracker: { id }, values });
  const made = await fetch(`${url}/api/artifacts`, { method: 'POST', headers, body });
  expect(made.status).to.equal(201);
  const artifact = await fetch(made.headers.get('Location')!, { headers });
  expect(await artifact.text()).to.include('<strong>bold</strong>');
}

function register(): void {
  describe('the installation of the README', () => {
    let clone: TemporaryDirectory;
    before(async () => {
      clone = await temporaryDirectory();
      const filter = (source: string): boolean => !MADE_HERE.includes(relative(CHECKOUT, source));
      cpSync(CHECKOUT, clone.path, { recursive: true, filter });
    });
    after(() => clone.remove());

    it('leads from a clone to a service with a demo platform, word for word', async () => {
      const env = { ...npmEnvironment(), DATA_DIR: join(clone.path, 'data') };
      const said = await started(scriptOf('install'), clone.path, env, async (url) => {
        const answer = await fetch(`${url}/api/projects`);
        expect(answer.status).to.equal(200);
        expect(await answer.json()).to.be.an('array').that.is.not.empty;
        await expectThreads(url);
        for (const path of ['/api/explorer/swagger-ui.css', '/documentation/docs/README.md', '/api/openapi.json']) {
          expect((await fetch(`${url}${path}`)).status, path).to.equal(200);
        }
      });
      expect(said)
        .to.match(/added \d+ packages/)
        .and.to.include('"msg":"stopped"');
    }).timeout(600_000);
  });
}

const ping = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000']);
if (ping.status === 0) register();
else leaveOut('the installation of the README', 'the registry of npm does not answer');
