import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { runService, type RunningService } from '../../support/service.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf } from './shapes.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}

interface Content {
  readonly 'application/json'?: { readonly schema: object };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: Content }>>;
}

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: object };
}

describe('the description of the API', () => {
  let api: RunningService;
  let description: Description;
  let operations: readonly { readonly path: string; readonly method: string; readonly operation: Operation }[];

  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    description = bodyOf(await api.get('/openapi.json'));
    operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
  });
  after(() => api.stop());

  /** Of schemas as OpenAPI 3.1 has them: JSON Schema 2020-12. */
  function compiler(): Ajv2020 {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    formats.default(ajv);
    return ajv;
  }

  const schemasOf = ({ parameters = [], requestBody, responses }: Operation): readonly object[] => [
    ...parameters.map(({ schema }) => schema),
    ...[requestBody?.content, ...Object.values(responses).map(({ content }) => content)].flatMap((content) =>
      content?.['application/json'] === undefined ? [] : [content['application/json'].schema],
    ),
  ];

  it('is one of OpenAPI 3.1, under the names that HTTP has for things', () => {
    expect(description).to.have.all.keys('openapi', 'info', 'servers', 'paths', 'components');
    expect(description.openapi).to.match(/^3\.1\.\d+$/);
    expect(description).to.have.property('info').that.includes.keys('title', 'version', 'description');
    for (const { path, method, operation } of operations) {
      expect(path).to.match(/^(\/[a-z_.]+|\/\{[a-z_]+\})+$/);
      expect(method).to.be.oneOf(['get', 'post', 'put', 'delete']);
      expect(operation.summary, path).to.match(/\.$/);
      expect(Object.keys(operation.responses), path)
        .to.include('default')
        .and.satisfy((statuses: string[]) => statuses.some((status) => /^2\d\d$/.test(status)));
      for (const schemes of operation.security) {
        expect(description.components.securitySchemes).to.include.keys(...Object.keys(schemes), 'basic');
      }
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('names every parameter of a path, and each parameter once', () => {
    for (const { path, operation } of operations) {
      const parameters = operation.parameters ?? [];
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        inPath.map(({ name }) => name),
        path,
      ).to.have.members(named);
      expect(inPath.every(({ required }) => required)).to.equal(true);
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(keys).size, path).to.equal(keys.length);
    }
  });

  it('holds schemas of JSON Schema only', () => {
    const ajv = compiler();
    for (const { path, method, operation } of operations) {
      for (const schema of schemasOf(operation)) {
        if ('$ref' in schema) continue;
        expect(() => ajv.compile(schema), `${method} ${path}`).not.to.throw();
      }
    }
    expect(JSON.stringify(description)).not.to.include('"nullable"');
  });

  const isPaginated = ({ operation: { parameters = [] } }: { readonly operation: Operation }): boolean =>
    ['limit', 'offset'].every((asked) => parameters.some(({ name }) => name === asked));

  it('tells the headers that clients need', () => {
    const { paths } = description;
    const parameters = (method: string, path: string) => paths[path]?.[method]?.parameters?.map(({ name }) => name);
    expect(parameters('put', '/artifacts/{id}')).to.include.members(['If-Match', 'If-Unmodified-Since']);
    expect(parameters('post', '/artifacts')).to.include('Idempotency-Key');
    expect(paths['/artifacts/{id}']?.['get']?.responses['200']?.headers).to.include.keys('Etag', 'Last-Modified');
    for (const { path, operation } of operations.filter(isPaginated)) {
      const pages = ['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX'].map((part) => `X-PAGINATION-${part}`);
      expect(operation.responses['200']?.headers, path).to.include.keys(pages);
    }
  });

  it('asks for credentials exactly where a request without any is refused', async () => {
    for (const { path, method, operation } of operations) {
      // The shape of a change is judged before any client asks who sends it.
      const body = method === 'put' && path === '/artifacts/{id}' ? { values: [] } : undefined;
      const { status } = await api.request(method.toUpperCase(), path.replace(/\{\w+\}/g, '999999'), { body });
      const isOpen =
        operation.security.length === 0 || operation.security.some((each) => Object.keys(each).length === 0);
      expect(status === 401, `${method} ${path} ${status}`).to.equal(!isOpen);
    }
  });

  /** Takes one parameter or another: none of them alone is required. */
  const TAKES_EITHER = ['/artifacts'];

  it('requires the parameters of a query that a request is refused without, and no others', async () => {
    const collections = operations.filter(({ path, method }) => method === 'get' && !path.includes('{'));
    expect(collections).to.have.length.greaterThan(4);
    for (const { path, operation } of collections) {
      const needsQuery = operation.parameters?.some((parameter) => parameter.in === 'query' && parameter.required);
      const isRefused = (await api.get(path, { as: 'tim' })).status === 400;
      expect(isRefused, path).to.equal(TAKES_EITHER.includes(path) || (needsQuery ?? false));
    }
  });

  it('is what the service answers, to every kind of reader', async () => {
    const values = [{ field_id: api.field('item', 'title'), value: 'An item' }];
    const made = await api.post('/artifacts', { as: 'tim', body: { tracker: { id: api.tracker('item') }, values } });
    const { id } = bodyOf<{ id: number }>(made);
    const examples: [string, string][] = [
      ['/projects', '/projects'],
      ['/projects/{id}', '/projects/101'],
      ['/projects/{id}/trackers', '/projects/101/trackers'],
      ['/projects/{id}/trackers', '/projects/101/trackers?representation=minimal'],
      ['/trackers/{id}', `/trackers/${api.tracker('item')}`],
      ['/trackers/{id}', `/trackers/${api.tracker('veiled')}`],
      ['/trackers/{id}/artifacts', `/trackers/${api.tracker('item')}/artifacts?values=all`],
      ['/artifacts/{id}', `/artifacts/${id}?values_format=all&tracker_structure_format=complete`],
      ['/users', '/users?query=Smith'],
      ['/users/{id}', `/users/${api.user('tim')}`],
      ['/user_groups/{id}', '/user_groups/101_3'],
      ['/user_groups/{id}/users', '/user_groups/101_3/users'],
    ];
    for (const [path, address] of examples) {
      const schema = schemasOf(description.paths[path]!['get']!).at(-1);
      expect(schema, path).to.be.an('object');
      const check = compiler().compile(schema!);
      for (const as of ['root', 'pam', 'tim', 'sam', undefined]) {
        const { status, body } = await api.get(address, as === undefined ? {} : { as });
        // Who is in a group is for administrators of its project.
        if (status === 401 || (status === 403 && path === '/user_groups/{id}/users')) continue;
        expect(status, address).to.equal(200);
        expect(check(body), `${address} ${JSON.stringify(check.errors)}`).to.equal(true);
      }
    }
  });
});
