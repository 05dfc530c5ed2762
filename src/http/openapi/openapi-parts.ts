/** The parts of the API description that belong to no route. */

export const INTRODUCTION = [
  'Projects, their trackers, and artifacts. `/api` and `/api/v1` are one set of routes; addresses in representations',
  '(`uri`) are relative to either. Start at `/projects` and follow `resources`.',
  '',
  'Sign in with `POST /tokens`, HTTP Basic or an access key; many routes are open to anonymous readers where the',
  'platform allows it. Credentials that are wrong fail everywhere, also where none would have done.',
  '',
  'Collections come in pages of `limit` items from `offset` on; the X-PAGINATION headers tell the page and the number',
  'of all items that the reader may see. A limit above the maximum is an error. The header Link of a page leads to the',
  'next one, rel="next", by a `cursor` instead of an offset.',
  '',
  'Errors are JSON, with `details` that point at what is wrong. Times are ISO-8601 with offset. Query parameters that a',
  'route does not know are ignored.',
].join('\n');

export const securitySchemes = {
  authToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'From POST /tokens, valid for 24 hours',
  },
  authUserId: { type: 'apiKey', in: 'header', name: 'X-Auth-UserId', description: 'Goes with X-Auth-Token' },
  basic: { type: 'http', scheme: 'basic' },
  accessKey: { type: 'apiKey', in: 'header', name: 'X-Auth-AccessKey', description: 'From POST /access_keys' },
};

export const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer', description: 'The status' },
        message: { type: 'string' },
        details: {
          type: 'array',
          description: 'What is wrong where: a JSON pointer into the body, or the name of a parameter',
          items: {
            type: 'object',
            required: ['pointer', 'message'],
            properties: { pointer: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};

export const errorResponse = {
  description:
    'What went wrong. 400 malformed, 401 no credentials or an expired token, 403 not allowed, 404 unknown, 412 changed ' +
    'meanwhile, 429 too many, 503 try again; 500 also for invalid credentials, unless the service is set to answer 401.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

const pageHeader = (description: string) => ({ description, required: true, schema: { type: 'integer' } });

export const PAGE_HEADERS = {
  'X-PAGINATION-LIMIT': pageHeader('The limit of this page'),
  'X-PAGINATION-OFFSET': pageHeader('Where this page starts'),
  'X-PAGINATION-SIZE': pageHeader('How many items there are for the reader, on all pages'),
  'X-PAGINATION-LIMIT-MAX': pageHeader('The greatest limit that the route takes'),
  Link: { description: 'The next page, as rel="next"; absent on the last one', schema: { type: 'string' } },
};
