import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { serve } from '../../../src/composition/http-server.js';
import { checkMessage } from '../../support/raw-answers.js';
import { runService, type RunningService } from '../../support/service.js';

const HTML = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('the front page', () => {
  let api: RunningService;
  before(async () => {
    api = await runService();
  });
  after(() => api.stop());

  const page = async (url: string, headers: Readonly<Record<string, string>> = HTML) => {
    const answer = await fetch(url, { headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it('shows a browser what runs and a first request, to everybody', async () => {
    // On servers, workers tell now and then how far they are.
    while (!(await page(api.url)).text.includes('<dd>reflect the whole log</dd>')) await setTimeout(100);
    const { status, headers, text: html } = await page(api.url);
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(html).to.include('REST API of the trackers of').and.include('Tuleap');
    expect(html).to.include(`<dd>${api.serving.version}</dd>`).and.include('<dd>reflect the whole log</dd>');
    expect(html).to.include(`curl -s ${api.url}/api/projects`).and.include('NAME').and.not.include('alice');
  });

  it('leads to pages that are there', async () => {
    const { text: html } = await page(api.url);
    const links = [...html.matchAll(/href="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(links).to.have.length.above(2);
    for (const path of links) expect((await fetch(`${api.url}${path}`)).status, path).to.equal(200);
  });

  it('allows its own style and nothing else', async () => {
    const { headers, text: html } = await page(api.url);
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(html).not.to.match(/<script|style="|\bon\w+=/);
  });

  it('is JSON for a client that does not prefer HTML', async () => {
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }]) {
      const { headers: given, text: body } = await page(api.url, headers);
      expect(given.get('content-type')).to.include('application/json');
      expect(given.get('vary')).to.include('Accept');
      const summary = JSON.parse(body) as Record<string, unknown>;
      expect(summary).to.include({ name: 'Tracker Ledger', version: api.serving.version });
      const readModels = summary['read_models'] as readonly object[];
      expect(readModels).to.have.length(api.service.projections.names.length);
      for (const each of readModels) expect(each).to.include({ state: 'live', reflected: 1 });
    }
  });

  it('names projections that stand still, and nothing of where they do', async () => {
    const stopped = { projection: 'artifacts', state: 'stopped', stream: 'artifact-7', event: 'secret' } as never;
    const service = { ...api.service, unhealthy: () => [stopped] };
    const listening = await serve({ ...api.serving, service });
    try {
      const url = `http://127.0.0.1:${listening.port}`;
      expect((await page(url)).text)
        .to.include('<dd>artifacts: stopped, reflects 100 % of the log</dd>')
        .and.not.include('secret');
      const summary = JSON.parse((await page(url, {})).text) as Record<string, unknown>;
      expect(summary['read_models']).to.deep.include({ projection: 'artifacts', state: 'stopped', reflected: 1 });
    } finally {
      await listening.close(1000);
    }
  });

  it('is there while the stores do not answer', async () => {
    const never = new Promise<never>(() => undefined);
    const service = { ...api.service, projections: { ...api.service.projections, status: () => never } };
    const listening = await serve({ ...api.serving, service });
    try {
      const { text: html } = await page(`http://127.0.0.1:${listening.port}`);
      expect(html).to.include('artifacts: unknown').and.not.include('% of the log');
    } finally {
      await listening.close(1000);
    }
  });

  it('shows the users of the demo where it runs', async () => {
    const listening = await serve({ ...api.serving, demo: { username: 'alice', password: "<b>'s" } });
    try {
      const { text: html } = await page(`http://127.0.0.1:${listening.port}`);
      expect(html).to.include('demo platform').and.include('&quot;alice&quot;').and.include('&lt;b&gt;&#39;s');
    } finally {
      await listening.close(1000);
    }
  });

  it('takes no mark-up from the Host of a request', async () => {
    const asking = get(api.url, { headers: { ...HTML, Host: '"><script>' } });
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    await checkMessage('GET', api.url, answer);
    expect(await text(answer)).not.to.include('<script>');
  });

  it('is only read', async () => {
    const head = await fetch(api.url, { method: 'HEAD', headers: HTML });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    const posted = await fetch(api.url, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'OPTIONS, GET']);
  });
});
