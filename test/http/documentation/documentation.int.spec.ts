import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import Koa from 'koa';
import { mountBare } from '../../../src/http/bare-routes.js';
import { documentationRoutes } from '../../../src/http/documentation/documentation.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { runService, type RunningService } from '../../support/service.js';

const FIRST = '/documentation/docs/README.md';

describe('the documentation over HTTP', () => {
  let api: RunningService;
  before(async () => (api = await runService({ platform: '{}' })));
  after(() => api.stop());

  const linksIn = (html: string, at: string): readonly string[] =>
    [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
      .map(([, link = '']) => new URL(link, `${api.url}${at}`))
      .filter(({ origin }) => origin === api.url)
      .map(({ pathname }) => pathname);

  it('leads from its index to every page, and no link leads nowhere', async () => {
    const found = new Set([FIRST]);
    for (const path of found) {
      const response = await fetch(`${api.url}${path}`);
      expect(response.status, path).to.equal(200);
      if (!path.endsWith('.md')) continue;
      for (const link of linksIn(await response.text(), path)) found.add(link);
    }
    const pages = [...found].filter((path) => path.startsWith('/documentation/'));
    expect(pages).to.include.members(['api.md', 'clients.md', 'api.http', 'images/explorer.png'].map(inDocs));
    expect(pages).to.include('/documentation/ARCHITECTURE.md');
  });

  const inDocs = (name: string): string => `/documentation/docs/${name}`;

  it('has pages without scripts, in the style of the front page', async () => {
    const response = await fetch(`${api.url}${FIRST}`);
    expect(response.headers.get('content-security-policy')).to.match(/^default-src 'none'; style-src 'sha256-/);
    expect(await response.text())
      .to.include('<h1 id="documentation">Documentation</h1>')
      .and.not.match(/<script|style=/);
  });

  it('has code and tables that the keyboard can scroll', async () => {
    const html = await (await fetch(`${api.url}${inDocs('clients.md')}`)).text();
    const scrolling = html.match(/<(pre|div class="table")[^>]*>/g) ?? [];
    expect(scrolling).to.have.length.greaterThan(5);
    for (const tag of scrolling) {
      expect(tag).to.match(/ tabindex="0" role="group" aria-label="(Code|Table)">$/);
    }
    expect(html).to.match(/<pre [^>]*><code class="language-sh">api=/);
  });

  it('has no other file of the service', async () => {
    for (const file of [
      'package.json',
      'src/main.ts',
      'docs',
      'docs/architecture.ts',
      'docs/../package.json',
      'docs/%2e%2e/%2e%2e/etc/passwd',
      '..%2fetc%2fpasswd',
      'constructor',
    ]) {
      expect((await fetch(`${api.url}/documentation/${file}`)).status, file).to.equal(404);
    }
  });
});

describe('the pages of a folder that cannot be read', () => {
  it('are served once it can be', async () => {
    const { path, remove } = await temporaryDirectory();
    const app = new Koa();
    app.silent = true;
    mountBare(app, documentationRoutes(pathToFileURL(`${path}/`)), () => Promise.resolve(null));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const status = async () => (await fetch(`http://127.0.0.1:${port}/documentation/docs/api.http`)).status;

    await rename(path, `${path}.away`);
    expect(await status()).to.equal(500);
    await rename(`${path}.away`, path);
    await writeFile(`${path}/docs`, 'no folder');
    expect(await status()).to.equal(500);
    await rm(`${path}/docs`);
    await mkdir(`${path}/docs`);
    await writeFile(`${path}/docs/api.http`, 'GET /api');
    expect(await status()).to.equal(200);

    server.closeAllConnections();
    server.close();
    await remove();
  });
});
