import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';

/** A script may send or read the first ones in any case. The others are for browsers themselves. */
const NOT_LISTED: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'content-length', 'cache-control', 'expires'],
  ...['content-security-policy', 'www-authenticate'],
]);

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Scheme {
  readonly type: string;
  readonly in?: string;
  readonly name?: string;
}

describe('a script in a browser, from any origin', () => {
  let api: RunningService;
  let headers: Headers;
  let described: unknown;
  before(async () => {
    api = await runService();
    ({ body: described, headers } = await api.get('/openapi.json'));
  });
  after(() => api.stop());

  /** All values under a name, wherever it is. */
  const under = (name: string, value: unknown = described): readonly unknown[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([member, inner]) => [
          ...(member === name ? [inner] : []),
          ...under(name, inner),
        ]);
  const listed = (header: string): readonly string[] => (headers.get(header) ?? '').toLowerCase().split(', ');
  const needed = (names: readonly string[]): readonly string[] =>
    [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => !NOT_LISTED.has(name));

  it('may send each header that the description names', () => {
    const parameters = under('parameters').flatMap((list) => (Array.isArray(list) ? (list as Parameter[]) : []));
    const shared = under('parameters').flatMap((map) => (Array.isArray(map) ? [] : Object.values(map as object)));
    const ofSchemes = under('securitySchemes').flatMap((map) => Object.values(map as Record<string, Scheme>));
    const names = needed([
      ...[...parameters, ...(shared as Parameter[])].flatMap((one) => (one.in === 'header' ? [one.name] : [])),
      ...ofSchemes.map(({ name }) => name ?? 'Authorization'),
    ]);
    expect(names).to.include.members(['if-match', 'idempotency-key', 'x-auth-accesskey', 'authorization']);
    expect(listed('Access-Control-Allow-Headers')).to.include.members([...names]);
  });

  it('asks whether it may, once in two hours for each address', async () => {
    const answers = ['/api/artifacts/1', '/api/v1/tokens', '/uploads/tracker/file/1', '/health/live'].map((path) =>
      fetch(`${api.url}${path}`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://example.org', 'Access-Control-Request-Method': 'GET' },
      }),
    );
    for (const { url, status, headers: preflight } of await Promise.all(answers)) {
      expect([status, preflight.get('Access-Control-Max-Age')], url).to.deep.equal([200, '7200']);
    }
    expect(headers.get('Access-Control-Max-Age')).to.equal(null);
  });

  it('may read each header that the description names', () => {
    const names = needed(under('headers').flatMap((map) => Object.keys(map as object)));
    expect(names).to.include.members(['link', 'x-pagination-size', 'retry-after', 'location']);
    expect(listed('Access-Control-Expose-Headers')).to.include.members([...names]);
  });
});
