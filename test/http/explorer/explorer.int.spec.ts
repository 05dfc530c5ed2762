import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';

describe('the files of the explorer', () => {
  let api: RunningService;
  before(async () => {
    api = await runService();
  });
  after(() => api.stop());

  const asset = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${api.url}/api/explorer${path}`, { headers });

  it('are served to everybody, with a policy that allows scripts and styles of the service alone', async () => {
    for (const [path, type] of [
      ['', 'text/html'],
      ['/swagger-ui.css', 'text/css'],
      ['/swagger-ui-bundle.js', 'text/javascript'],
      ['/explorer.css', 'text/css'],
      ['/explorer.js', 'text/javascript'],
    ] as const) {
      const answer = await asset(path);
      expect([answer.status, answer.headers.get('content-type')], path).to.deep.equal([200, `${type}; charset=utf-8`]);
      expect(answer.headers.get('content-security-policy')).to.include("default-src 'none'; script-src 'self';");
      expect(await answer.text()).not.to.equal('');
    }
  });

  it('are all that the page names', async () => {
    const html = await (await asset('')).text();
    const named = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(named).to.have.length(5);
    for (const path of named) expect((await fetch(`${api.url}${path}`)).status, path).to.equal(200);
    expect(html).not.to.match(/<script>|style=|https?:/);
  });

  it('lead a client that looks for swagger.json to the description of the API', async () => {
    const { status, url } = await asset('/swagger.json');
    expect([status, url]).to.deep.equal([200, `${api.url}/api/openapi.json`]);
  });

  it('are compressed', async () => {
    const { headers } = await asset('/swagger-ui-bundle.js', { 'Accept-Encoding': 'br' });
    expect(headers.get('content-encoding')).to.equal('br');
  });

  it('are no way to other files', async () => {
    for (const path of [
      '/package.json',
      '/index.html',
      '/..%2fpackage.json',
      '/%2e%2e%2f%2e%2e%2fpackage.json',
      '/constructor',
    ]) {
      expect((await asset(path)).status, path).to.equal(404);
    }
  });
});
