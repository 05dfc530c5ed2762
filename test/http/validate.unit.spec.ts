import { expect } from 'chai';
import { collectGarbage } from '../support/garbage.js';
import { Problem } from '../../src/core/problem.js';
import { pageQuery } from '../../src/http/pages/pagination.js';
import { idParam, validation, type Parts } from '../../src/http/validate.js';
import { type Route } from '../../src/http/route.js';

type Schemas = Pick<Route, 'params' | 'query' | 'body'>;

function validate(schemas: Schemas, parts: Partial<Omit<Parts, 'query'>> & { query?: string }): unknown {
  const query = new URLSearchParams(parts.query ?? '');
  return validation()(schemas)({ params: parts.params ?? {}, query, body: parts.body ?? {} });
}

function refusal(schemas: Schemas, parts: Parameters<typeof validate>[1]): Problem {
  try {
    validate(schemas, parts);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return error;
    throw error;
  }
  throw new Error('was not refused');
}

const page = { query: pageQuery(10, 50) };

describe('validation', () => {
  it('holds nothing of a body that it has refused', async () => {
    const check = validation()({ body: { type: 'object', properties: { a: { type: 'string' } } } });
    const refused = (): WeakRef<object> => {
      const a = {};
      expect(() => check({ params: {}, query: new URLSearchParams(), body: { a } })).to.throw(Problem);
      return new WeakRef(a);
    };
    const first = refused();
    await collectGarbage();
    expect(first.deref()).to.equal(undefined);
    // The validator itself is still held.
    refused();
  });

  it('hands over ids as numbers', () => {
    expect(validate({ params: idParam('note') }, { params: { id: '42' } })).to.have.deep.property('params', { id: 42 });
    const greatest = String(Number.MAX_SAFE_INTEGER);
    expect(validate({ params: idParam('note') }, { params: { id: greatest } })).to.have.nested.property('params.id');
  });

  it('takes no other spelling of a number for an id', () => {
    const others = ['0', '-1', '1e3', '0x10', ' 5', '5 ', '1.5', '1.0', '+1', '007', 'x', '9007199254740992', '١', ''];
    for (const id of others) {
      expect(refusal({ params: idParam('note') }, { params: { id } }).details?.[0]?.pointer, id).to.equal('id');
    }
  });

  it('says of a whole number that is no id which ones are', () => {
    const messageFor = (id: string): string => refusal({ params: idParam('note') }, { params: { id } }).message;
    const greatest = 'id must be at most 9007199254740991';
    expect(messageFor('99999999999999999999')).to.equal(`${greatest}, not "99999999999999999999"`);
    expect(messageFor('9007199254740992')).to.equal(`${greatest}, not "9007199254740992"`);
    expect(messageFor('-5')).to.equal('id must be at least 1, not -5');
    expect(messageFor('-99999999999999999999')).to.equal('id must be at least 1, not "-99999999999999999999"');
    expect(messageFor('0161')).to.equal('id must be a whole number, not "0161"');
  });

  it('fills in the page that is not asked for', () => {
    expect(validate(page, {})).to.have.deep.property('query', { limit: 10, offset: 0 });
    expect(validate(page, { query: 'offset=3&limit=50' })).to.have.deep.property('query', { limit: 50, offset: 3 });
  });

  it('refuses a page that cannot be', () => {
    for (const query of [
      'limit=51',
      'limit=-1',
      'limit=ten',
      'limit=',
      'limit=1e1',
      'offset=-1',
      'offset=1.5',
      'offset=0x1',
    ]) {
      expect(refusal(page, { query }).details, query).to.have.length(1);
    }
  });

  it('refuses a parameter given twice, and names it', () => {
    expect(refusal(page, { query: 'limit=1&limit=1' }).message).to.equal('limit is given more than once');
  });

  it('ignores parameters that it does not know', () => {
    const query = 'limit=1&a=1&a=2&__proto__=5&constructor=1';
    expect(validate(page, { query })).to.have.deep.property('query', { limit: 1, offset: 0 });
    expect(validate({}, { query })).to.have.deep.property('query', {});
  });

  it('reads numbers and booleans of a query', () => {
    const query = {
      type: 'object',
      properties: { deep: { type: 'boolean' }, ratio: { type: 'number' }, word: { type: 'string' } },
    };
    const read = validate({ query }, { query: 'deep=true&ratio=-0.5&word=12' });
    expect(read).to.have.deep.property('query', { deep: true, ratio: -0.5, word: '12' });
    expect(refusal({ query }, { query: 'deep=1&ratio=.5' }).details).to.have.length(2);
  });

  const body = {
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 5 },
      kind: { enum: ['a', 'b'] },
      'a/b~c': { type: 'object', required: ['x/y'] },
      values: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
    },
    required: ['title'],
    additionalProperties: false,
  };

  it('points at every bad member', () => {
    const given = { kind: 'c', more: 1, 'a/b~c': {}, values: [{ id: 1 }, { id: '2' }, {}] };
    expect(refusal({ body }, { body: given }).details).to.have.deep.members([
      { pointer: '/title', message: 'is required' },
      { pointer: '/more', message: 'is unknown' },
      { pointer: '/kind', message: 'must be one of a, b' },
      { pointer: '/a~1b~0c/x~1y', message: 'is required' },
      { pointer: '/values/1/id', message: 'must be a whole number' },
      { pointer: '/values/2/id', message: 'is required' },
    ]);
  });

  it('reports first what is first wrong', () => {
    expect(refusal({ body }, { body: {} }).message).to.equal('/title is required');
    expect(refusal({ body }, { body: { title: '' } }).message).to.equal('/title is required');
    expect(refusal({ body }, { body: [] }).message).to.equal('the body must be an object');
  });

  it('names what is allowed, and shows the value of a parameter', () => {
    const query = {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 0, maximum: 50 },
        since: { type: 'string', format: 'date-time' },
        order: { type: 'string', enum: ['asc', 'desc'] },
        whose: { type: 'string', pattern: '^(self|[0-9]+)$', examples: ['self', '101'] },
        values: { enum: ['', 'all'] },
        format: { enum: ['', 'flat', 'nested'] },
      },
    };
    for (const [given, message] of [
      ['limit=ten', 'limit must be a whole number, not "ten"'],
      ['limit=51', 'limit must be at most 50, not 51'],
      ['limit=-1', 'limit must be at least 0, not -1'],
      ['limit=99999999999999999999', 'limit must be at most 50, not "99999999999999999999"'],
      ['limit=-99999999999999999999', 'limit must be at least 0, not "-99999999999999999999"'],
      ['since=soon', 'since must be an instant such as 2026-01-31T09:30:00Z, not "soon"'],
      ['order=up', 'order must be one of asc, desc, not "up"'],
      ['values=some', 'values must be all if it is given, not "some"'],
      ['format=odd', 'format must be one of flat, nested, not "odd"'],
      ['whose=mine', 'whose must look like self or 101, not "mine"'],
      [`whose=${'x'.repeat(1000)}`, `whose must look like self or 101, not "${'x'.repeat(60)}…"`],
    ] as const) {
      expect(refusal({ query }, { query: given }).message).to.equal(message);
    }
  });

  it('takes an instant only if it is read as it is written', () => {
    const query = { type: 'object', properties: { since: { type: 'string', format: 'date-time' } } };
    const right = [
      '2026-03-05T10:11:12Z',
      '2026-03-05 10:11:12.5Z',
      '2026-03-05T10:11:12+0100',
      '0050-03-05t10:11:12z',
      '2026-03-05T10:11:12+23:59',
    ];
    const sent = (since: string) => ({ query: `since=${encodeURIComponent(since)}` });
    for (const since of right)
      expect(validate({ query }, sent(since)), since).to.have.deep.property('query', { since });
    const wrong = [
      '2026-03-05T10:11:12+01',
      '2026-06-30T23:59:60Z',
      '0050-03-05 10:11:12Z',
      '2026-02-30T10:11:12Z',
      '2026-03-05T10:11:12',
      '2026-03-05T24:00:00Z',
    ];
    for (const since of wrong) {
      const { message } = refusal({ query }, sent(since));
      expect(message).to.equal(`since must be an instant such as 2026-01-31T09:30:00Z, not "${since}"`);
    }
  });

  it('shows no value of a body', () => {
    const secret = {
      type: 'object',
      properties: { password: { type: 'string', maxLength: 3 }, kind: { enum: ['a'] } },
    };
    const given = { password: 'secret', kind: 'secret' };
    expect(refusal({ body: secret }, { body: given }).details).to.deep.equal([
      { pointer: '/password', message: 'must have at most 3 characters' },
      { pointer: '/kind', message: 'must be one of a' },
    ]);
    expect(refusal({ body: secret }, { body: { password: 12_345 } }).message).to.equal('/password must be a text');
  });

  it('converts nothing in a body', () => {
    expect(refusal({ body }, { body: { title: 5 } }).details).to.have.length(1);
  });

  it('names no more than 20 of many', () => {
    const values = Array.from({ length: 50_000 }, () => ({}));
    expect(refusal({ body }, { body: { title: 'a', values } }).details).to.have.length(20);
  });

  it('hands over {} for a part without a schema', () => {
    const given = { params: { id: 'x' }, query: 'a=1', body: { a: 1 } };
    expect(validate({}, given)).to.deep.equal({ params: {}, query: {}, body: {} });
  });
});
