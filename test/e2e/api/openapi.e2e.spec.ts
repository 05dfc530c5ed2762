import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { runService, type RunningService } from '../../support/service.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { OPERATIONS, type Description, type Operation } from './operations.js';
import { bodyOf } from './shapes.js';

const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** The places of such schemas. Null is a type only beside others, integers are long, and a list of types is of one and null. */
function misread(part: unknown, place: string): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { type, format } = part as { readonly type?: unknown; readonly format?: unknown };
  const types = [type].flat();
  const isLong = !types.includes('integer') || format === 'int64';
  const isOfSeveral = types.filter((each) => each !== 'null').length > 1;
  const isMisread = !isLong || isOfSeveral || (type === 'null' && !/\/anyOf\/\d+$/.test(place));
  const members = Object.entries(part).filter(([name]) => !VALUES.has(name));
  return [...(isMisread ? [place] : []), ...members.flatMap(([name, each]) => misread(each, `${place}/${name}`))];
}

describe('the description of the API', () => {
  let api: RunningService;
  let description: Description;
  interface Described {
    readonly path: string;
    /** Whether it is outside /api. */
    readonly outside: boolean;
    readonly method: string;
    readonly operation: Operation;
  }
  let operations: readonly Described[];

  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    description = bodyOf(await api.get('/openapi.json'));
    operations = Object.entries(description.paths).flatMap(([path, { servers, ...methods }]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        outside: servers !== undefined,
        method,
        operation,
      })),
    );
  });
  after(() => api.stop());

  /** Of schemas as OpenAPI 3.1 has them: JSON Schema 2020-12. */
  function compiler(): Ajv2020 {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    formats.default(ajv);
    for (const [name, schema] of Object.entries(description.components.schemas)) {
      ajv.addSchema(absolute(schema), name);
    }
    return ajv;
  }

  const absolute = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '')) as object;

  const schemasOf = ({ parameters = [], requestBody, responses }: Operation): readonly object[] => [
    ...parameters.map(({ schema }) => schema),
    ...[requestBody?.content, ...Object.values(responses).map(({ content }) => content)].flatMap((content) =>
      content?.['application/json'] === undefined ? [] : [content['application/json'].schema],
    ),
  ];

  it('is one of OpenAPI 3.1, under the names that HTTP has for things', () => {
    expect(description).to.have.all.keys('openapi', 'info', 'servers', 'tags', 'paths', 'components');
    expect(description.openapi).to.match(/^3\.1\.\d+$/);
    expect(description).to.have.property('info').that.includes.keys('title', 'version', 'description');
    for (const { path, method, operation } of operations) {
      expect(path).to.match(/^(\/[a-z_.]*|\/\{[a-z_]+\})+$/);
      expect(method).to.be.oneOf(['get', 'post', 'put', 'delete', 'patch', 'head']);
      expect(operation.summary, path).to.match(/\.$/);
      expect(operation.summary.length, operation.summary).to.be.below(60);
      expect(
        Object.keys(operation.responses).filter((status) => /^2\d\d$/.test(status)),
        path,
      ).not.to.be.empty;
      expect(operation.tags).to.have.lengthOf(1);
      for (const schemes of operation.security) {
        expect(description.components.securitySchemes).to.include.keys(...Object.keys(schemes), 'basic');
      }
    }
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(description.tags.map(({ name }) => name)).to.have.members([...used]);
  });

  it('keeps the ids of its operations, from which clients make names', () => {
    expect(operations.map(({ operation }) => operation.operationId).join('\n')).to.equal(OPERATIONS.join('\n'));
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
        expect(() => ajv.compile(absolute(schema)), `${method} ${path}`).not.to.throw();
      }
    }
    for (const name of Object.keys(description.components.schemas))
      expect(() => ajv.getSchema(name), name).not.to.throw();
    expect(JSON.stringify(description)).not.to.include('"nullable"');
  });

  it('holds no schema that widespread generators of clients refuse or misread', () => {
    expect(misread(description.paths, '')).to.deep.equal([]);
    expect(misread(description.components, '')).to.deep.equal([]);
  });

  const isPaginated = ({ operation: { parameters = [] } }: { readonly operation: Operation }): boolean =>
    ['limit', 'offset'].every((asked) => parameters.some(({ name }) => name === asked));

  const known = (id: string): Operation => operations.find(({ operation }) => operation.operationId === id)!.operation;

  it('tells the headers that clients need', () => {
    const parameters = (id: string) => known(id).parameters?.map(({ name }) => name);
    const success = (id: string) => known(id).responses['200']?.headers;
    expect(parameters('putArtifactsId')).to.include.members(['If-Match', 'If-Unmodified-Since', 'X-Request-Id']);
    expect(parameters('postArtifacts')).to.include('Idempotency-Key');
    expect(success('getArtifactsId')).to.include.keys('Etag', 'Last-Modified');
    expect(success('deleteArtifactsId')).to.include.keys('X-RateLimit-Remaining');
    for (const { path, operation } of operations.filter(isPaginated)) {
      const pages = ['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX'].map((part) => `X-PAGINATION-${part}`);
      expect(operation.responses['200']?.headers, path).to.include.keys(pages);
    }
  });

  it('tells the headers that errors have beside those of every answer', () => {
    const having: readonly (readonly [string, readonly number[], string])[] = [
      ['deleteArtifactsId', [403, 404, 412, 429, 500, 503], 'X-RateLimit-Remaining'],
      ['getPluginsTrackerAttachmentsFile', [416], 'Content-Range'],
      ['getArtifactTemporaryFilesId', [400, 401, 404, 503], 'X-QUOTA'],
      ['headUploadsTrackerFileId', [401, 404, 412], 'Tus-Version'],
    ];
    for (const [id, statuses, name] of having) {
      for (const status of statuses) expect(known(id).responses[status]?.headers, id).to.include.keys(name);
    }
  });

  it('asks for credentials exactly where a request without any is refused', async () => {
    for (const { path, method, operation } of operations.filter(({ outside }) => !outside)) {
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
    const isList = ({ path, method, outside }: Described) => method === 'get' && !outside && !path.includes('{');
    const collections = operations.filter(isList);
    expect(collections).to.have.length.greaterThan(4);
    for (const { path, operation } of collections) {
      const needsQuery = operation.parameters?.some((parameter) => parameter.in === 'query' && parameter.required);
      const isRefused = (await api.get(path, { as: 'tim' })).status === 400;
      expect(isRefused, path).to.equal(TAKES_EITHER.includes(path) || (needsQuery ?? false));
    }
  });

  /** An answer to what is no request yet has no name of a request. One to HEAD has no body. */
  const partsOf = (status: string, method: string, ref: string | undefined): readonly string[] => [
    ...(['408', '431'].includes(status) ? [] : ['headers']),
    ...(method === 'head' && ref === undefined ? [] : ['content']),
  ];

  it('describes every error with its body and its headers, and refers to nothing that is not there', () => {
    for (const { path, outside, method, operation } of operations) {
      const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      if (!outside) expect(errors.map(([status]) => status)).to.include.members(['400', '403', '406', '500', '503']);
      for (const [status, { $ref, ...own }] of errors) {
        const response = $ref === undefined ? own : description.components.responses[$ref.split('/').at(-1)!];
        expect(response, `${method} ${path} ${status}`).to.include.keys(
          'description',
          ...partsOf(status, method, $ref),
        );
      }
    }
    for (const [, ref] of JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect(description).to.have.nested.property(ref!.replaceAll('/', '.'));
    }
  });

  it('is compared by its tag, which stays as long as the description does', async () => {
    const etag = (await api.get('/openapi.json')).headers.get('etag')!;
    expect((await api.get('/openapi.json', { headers: { 'If-None-Match': etag } })).status).to.equal(304);
  });

  it('matches every answer to every kind of reader, as the client of these specs checks', async () => {
    const values = [{ field_id: api.field('item', 'title'), value: 'An item' }];
    const made = await api.post('/artifacts', { as: 'tim', body: { tracker: { id: api.tracker('item') }, values } });
    const { id } = bodyOf<{ id: number }>(made);
    const addresses = [
      '/projects/101/trackers',
      '/projects/101/trackers?representation=minimal',
      `/trackers/${api.tracker('veiled')}`,
      `/trackers/${api.tracker('item')}/artifacts?values=all`,
      `/artifacts/${id}?values_format=all&tracker_structure_format=complete`,
      `/artifacts/${id}/changesets`,
      `/artifacts/${id}/history`,
      '/users?query=Smith',
      `/users/${api.user('tim')}`,
      '/user_groups/101_3/users',
    ];
    for (const address of addresses) {
      for (const as of ['root', 'pam', 'tim', 'sam', undefined]) {
        expect((await api.get(address, as === undefined ? {} : { as })).status, address).to.be.oneOf([200, 401, 403]);
      }
    }
  });
});
