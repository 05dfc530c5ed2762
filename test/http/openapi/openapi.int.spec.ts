import { expect } from 'chai';
import { openApi, openApiRoutes } from '../../../src/http/openapi/openapi.js';
import { pageQuery } from '../../../src/http/pages/pagination.js';
import { toyRoute as route } from '../toy-route.js';
import { idParam } from '../../../src/http/validate.js';
import { whole } from '../../support/whole.js';
import { toyApp } from '../toy-app.js';

const handle = (): void => undefined;

const descriptionOf = (...given: Parameters<typeof openApi>): object => whole(openApi(...given));

const routes = [
  route({
    method: 'GET',
    path: '/notes/:id/marks',
    access: 'hybrid',
    summary: 'List the marks of a note.',
    params: idParam('note'),
    query: pageQuery(10, 50),
    responses: { 200: { description: 'Marks', schema: { type: 'array' } } },
    handle,
  }),
  route({
    method: 'DELETE',
    path: '/notes/:id',
    access: 'protected',
    summary: 'Delete.',
    params: idParam('note'),
    handle,
  }),
  route({
    method: 'POST',
    path: '/notes',
    access: 'public',
    summary: 'Write.',
    body: { type: 'object' },
    form: true,
    handle,
  }),
];

describe('description of the API', () => {
  it('says of each route what the route says', () => {
    const integer = { type: 'integer', format: 'int64', minimum: 0, maximum: 50, default: 10 };
    const described = descriptionOf(routes, { version: '1.2.3' });
    expect(described).to.have.property('openapi', '3.1.0');
    expect(described).to.have.nested.property('info.version', '1.2.3');
    expect(described).to.have.deep.property('servers', [{ url: '/api' }, { url: '/api/v1' }]);
    expect(described).to.have.property('paths').with.all.keys('/notes', '/notes/{id}', '/notes/{id}/marks');

    const list = described as { paths: Record<string, Record<string, object>> };
    expect(list.paths['/notes/{id}/marks']?.['get']).to.deep.include({
      operationId: 'getNotesIdMarks',
      summary: 'List the marks of a note.',
      security: [{}, { authToken: [], authUserId: [] }, { basic: [] }, { accessKey: [] }],
    });
    expect(list.paths['/notes/{id}/marks']?.['get']).to.have.property('parameters').that.deep.includes({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'The most items of the page',
      schema: integer,
    });
    expect(list.paths['/notes/{id}']?.['delete']).to.have.deep.nested.property('parameters[0].required', true);
    expect(list.paths['/notes']?.['post']).to.deep.include({
      security: [],
      requestBody: {
        required: false,
        content: {
          'application/json': { schema: { type: 'object' } },
          'application/x-www-form-urlencoded': { schema: { type: 'object' } },
        },
      },
    });
  });

  it('has each schema with a title once, and refuses two of one title', () => {
    const titled = (title: string, type: string) => ({ title, type });
    const answering = (path: string, schema: object) =>
      route({
        method: 'GET',
        path,
        access: 'public',
        summary: 'Get.',
        responses: { 200: { description: 'It', schema } },
        handle,
      });
    const described = descriptionOf(
      [answering('/a', titled('Note', 'string')), answering('/b', titled('Note', 'string'))],
      {
        version: '1',
      },
    );
    expect(described).to.have.deep.nested.property('components.schemas.Note', { type: 'string' });
    expect(JSON.stringify(described).split('"#/components/schemas/Note"')).to.have.lengthOf(3);
    const different = [answering('/a', titled('Note', 'string')), answering('/b', titled('Note', 'integer'))];
    expect(() => descriptionOf(different, { version: '1' })).to.throw('Two schemas have the title Note');
  });

  it('takes a member that is named title for no title', () => {
    const schema = { type: 'object', properties: { title: { type: 'string', nullable: true } } };
    const responses = { 200: { description: 'It', schema } };
    const described = descriptionOf(
      [route({ method: 'GET', path: '/a', access: 'public', summary: 'Get.', responses, handle })],
      { version: '1' },
    );
    expect(JSON.stringify(described)).to.include('{"title":{"type":["string","null"]}}');
  });

  it('requires a body exactly where a request without one is refused', () => {
    const taking = (body: object) =>
      route({ method: 'POST', path: '/a', access: 'public', summary: 'Do.', body, handle });
    const isRequired = (body: object) =>
      JSON.stringify(descriptionOf([taking(body)], { version: '1' })).includes('"requestBody":{"required":true');
    expect(isRequired({ type: 'object', properties: {} })).to.equal(false);
    expect(isRequired({ type: 'object', required: ['a'], properties: { a: {} } })).to.equal(true);
    expect(isRequired({ type: 'array' })).to.equal(true);
  });

  it('names every operation once, and refers to nothing that is not there', () => {
    const described = descriptionOf(routes, { version: '1' }) as { paths: object; components: object };
    const ids = [...JSON.stringify(described).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const [, ref] of JSON.stringify(described).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect(described).to.have.nested.property(ref!.replaceAll('/', '.'));
    }
  });

  it('is served to everyone, and describes itself', async () => {
    const toy = await toyApp({ routes: () => openApiRoutes(routes, { version: '1' }) });
    const response = await fetch(`${toy.url}/api/openapi.json`);
    expect(response.status).to.equal(200);
    expect(await response.json())
      .to.have.property('paths')
      .that.includes.keys('/openapi.json', '/notes');
    await toy.close();
  });
});
