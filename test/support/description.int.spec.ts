import { expect } from 'chai';
import { openApi } from '../../src/http/openapi/openapi.js';
import { pageQuery } from '../../src/http/pages/pagination.js';
import { objectOf, listOf, TEXT } from '../../src/http/openapi/response-schema.js';
import { toyRoute } from '../http/toy-route.js';
import { descriptionCheck, type Description, type Exchange } from './description.js';
import { whole } from './whole.js';

const handle = (): void => undefined;

const routes = [
  toyRoute({
    method: 'GET',
    path: '/notes',
    access: 'public',
    summary: 'List.',
    query: pageQuery(10, 50),
    responses: { 200: { description: 'Notes', schema: listOf(objectOf({ text: TEXT })) } },
    handle,
  }),
  toyRoute({ method: 'DELETE', path: '/notes', access: 'public', summary: 'Delete.', handle }),
];

describe('the check of answers against the description', () => {
  const check = descriptionCheck(whole(openApi(routes, { version: '1' })) as Description);
  const page = {
    'X-PAGINATION-LIMIT': '10',
    'X-PAGINATION-OFFSET': '0',
    'X-PAGINATION-SIZE': '0',
    'X-PAGINATION-LIMIT-MAX': '50',
  };
  const good = { method: 'GET', path: '/api/notes?limit=1', status: 200, body: [{ text: 'a' }] };
  const faultOf = (
    changes: Partial<Exchange>,
    headers: Readonly<Record<string, string>> = page,
  ): string | undefined => {
    try {
      check({ ...good, ...changes, headers: new Headers({ 'X-Request-Id': '1', ...headers }) });
      return undefined;
    } catch (error) {
      return String(error);
    }
  };

  it('takes an answer that is as described', () => {
    expect(faultOf({})).to.equal(undefined);
    expect(faultOf({ path: '/api/v1/notes/' })).to.equal(undefined);
    expect(faultOf({ method: 'DELETE', body: undefined }, {})).to.equal(undefined);
    expect(faultOf({ status: 400, body: { error: { code: 400, message: 'Bad Request' } } }, {})).to.equal(undefined);
  });

  it('refuses a body with a member too many, one too few, or one of another type', () => {
    expect(faultOf({ body: [{ text: 'a', more: 1 }] }))
      .to.include('GET /api/notes?limit=1 200')
      .and.include('more');
    expect(faultOf({ body: [{}] })).to.include('text');
    expect(faultOf({ body: [{ text: 1 }] })).to.include('must be string');
    expect(faultOf({ body: undefined })).to.include('must be array');
    expect(faultOf({ method: 'DELETE' }, {})).to.include('a body that is not described');
  });

  it('refuses a status, a header or a route that is not described, and a header that is missing', () => {
    expect(faultOf({ status: 201 })).to.include('the status is not described');
    expect(faultOf({}, { ...page, 'X-More': '1' })).to.include('x-more');
    expect(faultOf({}, {})).to.include('X-PAGINATION-LIMIT');
    expect(faultOf({ status: 400, body: { error: { code: 400, message: 'Bad Request' } } })).to.include('x-pagination');
    expect(faultOf({ path: '/api/others' })).to.include('without a description');
    expect(faultOf({ status: 500, body: 'broken' }, {})).to.include('must be object');
  });
});
