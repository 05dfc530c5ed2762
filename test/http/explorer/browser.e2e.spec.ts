/** The pages of the service in a browser. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { chromium, type Browser, type Page } from 'playwright-core';
import { DEMO_PLATFORM, DEMO_PASSWORD } from '../../../src/demo/demo-platform.js';
import { needsProgram } from '../../support/needs-program.js';
import { runService, type RunningService } from '../../support/service.js';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const FAULTS = `axe.run().then(({ violations }) => JSON.stringify(violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])))`;

interface Visit {
  readonly page: Page;
  /** Messages of the console, and requests to elsewhere. */
  readonly complaints: readonly string[];
}

needsProgram('chromium', 'the pages of the service in a browser', () => {
  for (const [screen, viewport, colorScheme] of [
    ['a wide light screen', { width: 1200, height: 900 }, 'light'],
    ['a narrow dark screen', { width: 390, height: 844 }, 'dark'],
  ] as const) {
    describe(`the pages of the service on ${screen}`, function () {
      this.timeout(60_000);
      let api: RunningService;
      let browser: Browser;
      before(async () => {
        api = await runService({ platform: DEMO_PLATFORM });
        const isRoot = process.getuid?.() === 0;
        browser = await chromium.launch({
          executablePath: '/usr/bin/chromium',
          args: isRoot ? ['--no-sandbox', '--disable-dev-shm-usage'] : [],
        });
      });
      after(async () => {
        await browser.close();
        await api.stop();
      });

      const visit = async (path: string): Promise<Visit> => {
        const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
        const complaints: string[] = [];
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
        });
        page.on('pageerror', (error) => complaints.push(String(error)));
        page.on('request', (request) => {
          if (!request.url().startsWith(`${api.url}/`) && !request.url().startsWith('data:'))
            complaints.push(request.url());
        });
        await page.goto(`${api.url}${path}`);
        return { page, complaints };
      };
      /** Of those that a browser protocol may run in a page whose policy forbids foreign scripts. */
      const expectAccessible = async (page: Page): Promise<void> => {
        const protocol = await page.context().newCDPSession(page);
        await protocol.send('Runtime.evaluate', { expression: AXE });
        const { result } = await protocol.send('Runtime.evaluate', { expression: FAULTS, awaitPromise: true });
        expect(JSON.parse(String(result.value))).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(viewport.width);
      };

      it('lead from the front page to the explorer, without a complaint', async () => {
        const { page, complaints } = await visit('/');
        await expectAccessible(page);
        await page.getByRole('link', { name: 'Explorer' }).click();
        await page.locator('.opblock-tag').first().waitFor();
        await expectAccessible(page);
        expect(complaints).to.deep.equal([]);
      });

      it('let a person sign in, create an artifact and find it in its tracker', async () => {
        const { page, complaints } = await visit('/api/explorer');
        await page.getByRole('button', { name: 'Authorize' }).first().click();
        const basic = page.locator('.auth-container form', { has: page.locator('[type=password]') });
        await basic.locator('input').first().fill('alice');
        await basic.locator('[type=password]').fill(DEMO_PASSWORD);
        await expectAccessible(page);
        await basic.getByRole('button', { name: 'Authorize' }).click();
        await page.getByRole('button', { name: 'Close' }).first().click();

        const title = `From ${screen}`;
        await page.locator('#operations-tag-Artifacts').click();
        const post = page.locator('#operations-Artifacts-postArtifacts');
        await post.locator('.opblock-summary-control').click();
        const tracker = { id: api.tracker('bug') };
        await post
          .getByRole('textbox', { name: 'Body' })
          .fill(JSON.stringify({ tracker, values_by_field: { title: { value: title } } }));
        await post.getByRole('button', { name: 'Execute' }).click();
        const answered = post.locator('.live-responses-table tbody .response-col_status');
        await answered.first().waitFor();
        expect(await answered.first().innerText()).to.include('201');
        await expectAccessible(page);

        const listed = await api.get(`/trackers/${tracker.id}/artifacts`, {
          headers: { Authorization: `Basic ${Buffer.from(`alice:${DEMO_PASSWORD}`).toString('base64')}` },
        });
        expect(listed.body.map((artifact: { title: string }) => artifact.title)).to.include(title);
        expect(complaints).to.deep.equal([]);
      });
    });
  }
});
