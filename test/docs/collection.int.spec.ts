import { expect } from 'chai';
import { DEMO_PLATFORM, DEMO_PASSWORD } from '../../src/demo/demo-platform.js';
import { collection, writtenCollection } from '../support/collection.js';
import { runService, type RunningService } from '../support/service.js';

interface Request {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** As the REST clients of editors read the file. */
function requestsIn(file: string): readonly Request[] {
  const blocks = file.split(/^### .*\n/m).slice(1);
  return blocks.map((block) => {
    const [head = '', ...rest] = block.trim().split('\n\n');
    const [name = '', line = '', ...headers] = head.split('\n');
    const [method = '', url = ''] = line.split(' ');
    return {
      name: name.replace('# @name ', ''),
      method,
      path: url.replace('{{host}}', ''),
      headers: Object.fromEntries(headers.map((header) => header.split(': '))) as Readonly<Record<string, string>>,
      body: rest.length === 0 ? undefined : rest.join('\n\n'),
    };
  });
}

describe('the requests of docs/api.http', () => {
  let api: RunningService;
  const requests = requestsIn(writtenCollection());

  before(async () => (api = await runService({ platform: DEMO_PLATFORM })));
  after(() => api.stop());

  it('are made from the description of the API: npm run collection writes them', async () => {
    expect(writtenCollection()).to.equal(await collection());
    expect(requests.map(({ method }) => method)).to.include.members(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']);
  });

  it('are well formed for the service, each with its credentials', async () => {
    for (const { name, method, path, headers, body } of requests.filter((each) => each.method !== 'DELETE')) {
      const filled = (text: string): string =>
        text.replace('{{username}}', 'alice').replace('{{password}}', DEMO_PASSWORD);
      const others = Object.entries(headers).filter(([header]) => !header.startsWith('X-Auth-'));
      const { status } = await fetch(`${api.url}${path}`, {
        method,
        headers: { ...Object.fromEntries(others), ...('X-Auth-Token' in headers && basic()) },
        ...(body !== undefined && { body: filled(body) }),
      });
      expect(status, name).not.to.be.oneOf([400, 401, 405, 406, 415, 500, 501, 503]);
    }
  });

  const basic = () => ({ Authorization: `Basic ${Buffer.from(`alice:${DEMO_PASSWORD}`).toString('base64')}` });
});
