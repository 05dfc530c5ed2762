/** What a page elsewhere can do with the name and the password that a user has entered in the browser. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { chromium, type Browser, type Page } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PLATFORM } from '../../src/demo/demo-platform.js';
import { needsProgram } from '../support/needs-program.js';
import { runService, type RunningService } from '../support/service.js';

/** Of the same site as the service, and of another one: to the latter's scripts, browsers give no password. */
const HOSTS = ['page.tracker.test', 'elsewhere.test'];

/** By what it is, a request of a script for an access key, in a browser that knows the password. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'fetch without CORS': `{ mode: 'no-cors', body: new Blob(['{}']) }`,
  'fetch without CORS or body': `{ mode: 'no-cors' }`,
  'fetch without CORS, of JSON': `{ mode: 'no-cors', body: new Blob(['{}'], { type: 'application/json' }) }`,
  'fetch with CORS that needs no preflight': `{ body: new Blob(['{}']) }`,
  'fetch of JSON': `{ headers: { 'Content-Type': 'application/json' }, body: '{}' }`,
  'fetch of another method': `{ method: 'PUT' }`,
  'fetch with the name of another method': `{ headers: { 'X-HTTP-Method-Override': 'PUT' } }`,
};

needsProgram('chromium', 'pages elsewhere in a browser that knows a password', () => {
  describe('a page elsewhere, in a browser that knows the password of a user', () => {
    let api: RunningService;
    let pages: Server;
    let browser: Browser;
    before(async () => {
      api = await runService({ platform: DEMO_PLATFORM });
      pages = createServer((_request, response) => {
        response.setHeader('Content-Type', 'text/html').end('<title>A page</title>');
      }).listen(0, '127.0.0.1');
      await once(pages, 'listening');
      const isRoot = process.getuid?.() === 0;
      browser = await chromium.launch({
        executablePath: '/usr/bin/chromium',
        args: [
          '--host-resolver-rules=MAP *.test 127.0.0.1',
          ...(isRoot ? ['--no-sandbox', '--disable-dev-shm-usage'] : []),
        ],
      });
    });
    after(async () => {
      await browser.close();
      pages.close();
      await api.stop();
    });

    const service = (userInfo = ''): string => `http://${userInfo}api.tracker.test:${new URL(api.url).port}/api`;
    const basic = { Authorization: `Basic ${Buffer.from(`alice:${DEMO_PASSWORD}`).toString('base64')}` };
    const keys = async (): Promise<number> =>
      (await api.get('/users/self/access_keys', { headers: basic })).body.length;
    /** The page of a host, in a browser where the user has visited the service. */
    const pageOf = async (host: string): Promise<Page> => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(`${service(`alice:${DEMO_PASSWORD}@`)}/users/self`);
      const visit = await page.goto(`${service()}/users/self`);
      expect(visit?.status()).to.equal(200);
      await page.goto(`http://${host}:${(pages.address() as AddressInfo).port}/`);
      return page;
    };
    const fetched = (page: Page, init: string): Promise<unknown> =>
      page.evaluate(
        `fetch('${service()}/access_keys', { method: 'POST', credentials: 'include', ...${init} }).then(() => 0, () => 0)`,
      );

    for (const host of HOSTS) {
      it(`of ${host} writes nothing by scripts`, async () => {
        const page = await pageOf(host);
        for (const [what, init] of Object.entries(SCRIPTS)) {
          await fetched(page, init);
          expect(await keys(), what).to.equal(0);
        }
      });

      it(`of ${host} writes nothing by forms`, async () => {
        for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
          const page = await pageOf(host);
          await page.setContent(`<form method="post" enctype="${type}" action="${service()}/access_keys"></form>`);
          const [answer] = await Promise.all([
            page.waitForResponse(`${service()}/access_keys`),
            page.evaluate('document.forms[0].submit()'),
          ]);
          expect(answer.status(), type).to.be.oneOf([403, 415]);
          expect(await keys(), type).to.equal(0);
        }
      });
    }

    it('writes with the password that its own script sends', async () => {
      const page = await pageOf('elsewhere.test');
      const before = await keys();
      const status = await page.evaluate(
        `fetch('${service()}/access_keys', { method: 'POST', body: '{}',
          headers: { Authorization: '${basic.Authorization}', 'Content-Type': 'application/json' } }).then(({ status }) => status)`,
      );
      expect([status, await keys()]).to.deep.equal([201, before + 1]);
    });
  });
});
