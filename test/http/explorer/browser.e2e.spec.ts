/** The pages of the service in a browser. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { DEMO_PLATFORM, DEMO_PASSWORD } from '../../../src/demo/demo-platform.js';
import { checkingProxy, type CheckingProxy } from '../../support/checking-proxy.js';
import { needsProgram } from '../../support/needs-program.js';
import { runService, type RunningService } from '../../support/service.js';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const FAULTS = `axe.run().then(({ violations }) => JSON.stringify(violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])))`;

/** Where `npm run screenshots` puts pictures of the pages. */
const { SCREENSHOTS } = process.env;

const MOST_TABS = 150;

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < MOST_TABS; pressed += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The key Tab does not reach ${String(target)}`);
}

const MOST_PRESSES = 10;

/** The explorer may still fill in the parameters when the key is pressed first, and then sends nothing. */
async function pressUntil(page: Page, button: Locator, shown: Locator): Promise<void> {
  for (let pressed = 0; pressed < MOST_PRESSES; pressed += 1) {
    await tabTo(page, button);
    await page.keyboard.press('Enter');
    const isShown = await shown.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
  }
  throw new Error(`Enter on ${String(button)} shows nothing`);
}

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
    describe(`the pages of the service on ${screen}`, () => {
      let api: RunningService;
      let proxy: CheckingProxy;
      let browser: Browser;
      before(async () => {
        api = await runService({ platform: DEMO_PLATFORM });
        proxy = await checkingProxy(api.url);
        const isRoot = process.getuid?.() === 0;
        browser = await chromium.launch({
          executablePath: '/usr/bin/chromium',
          args: isRoot ? ['--no-sandbox', '--disable-dev-shm-usage'] : [],
        });
      });
      after(async () => {
        await browser.close();
        await proxy.stop();
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
          if (!request.url().startsWith(`${proxy.url}/`) && !request.url().startsWith('data:'))
            complaints.push(request.url());
        });
        await page.goto(`${proxy.url}${path}`);
        return { page, complaints };
      };
      const show = async (page: Page, name: string): Promise<void> => {
        if (SCREENSHOTS !== undefined && colorScheme === 'light')
          await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
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
        await show(page, 'front-page');
        await page.getByRole('link', { name: 'Documentation' }).click();
        await page.getByRole('heading', { name: 'Documentation' }).waitFor();
        await expectAccessible(page);
        await page.goBack();
        await page.getByRole('link', { name: 'Explorer' }).click();
        await page.locator('#operations-tag-Artifacts').click();
        await page.locator('#operations-Artifacts-postArtifacts').waitFor();
        await expectAccessible(page);
        await show(page, 'explorer');
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

        await page.locator('#operations-tag-Trackers').click();
        const list = page.locator('#operations-Trackers-getTrackersIdArtifacts');
        await list.locator('.opblock-summary-control').click();
        await list.getByPlaceholder('id', { exact: true }).fill(String(tracker.id));
        await list.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ title }));
        await list.getByRole('button', { name: 'Execute' }).click();
        await list.locator('.live-responses-table').waitFor();
        expect(await list.locator('.live-responses-table tbody').first().innerText()).to.include(title);
        expect(complaints).to.deep.equal([]);
      });

      it('can be used with the keyboard alone', async () => {
        const { page, complaints } = await visit('/');
        await tabTo(page, page.getByRole('link', { name: 'Explorer' }));
        await page.keyboard.press('Enter');
        await page.locator('.opblock-tag').first().waitFor();
        await tabTo(page, page.getByRole('button', { name: 'Authorize' }).first());
        await page.keyboard.press('Enter');
        const basic = page.locator('.auth-container form', { has: page.locator('[type=password]') });
        await tabTo(page, basic.locator('input').first());
        await page.keyboard.type('alice');
        await page.keyboard.press('Tab');
        await page.keyboard.type(DEMO_PASSWORD);
        await page.keyboard.press('Enter');
        await tabTo(page, page.getByRole('button', { name: 'Close' }).first());
        await page.keyboard.press('Enter');
        const route = page.locator('#operations-Users-getUsersId');
        await tabTo(page, page.locator('#operations-tag-Users').getByRole('button'));
        await page.keyboard.press('Enter');
        await tabTo(page, route.locator('.opblock-summary-control'));
        await page.keyboard.press('Enter');
        const answered = route.locator('.live-responses-table tbody').first();
        await pressUntil(page, route.getByRole('button', { name: 'Execute' }), answered);
        expect(await answered.innerText()).to.include('"username": "alice"');
        expect(complaints).to.deep.equal([]);
      });
    });
  }
});
