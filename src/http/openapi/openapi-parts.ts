/** The parts of the API description that belong to no route. */
import { header, NUMBER, optionalHeader, type AnswerHeader } from './response-schema.js';

export const INTRODUCTION = `Projects, their trackers, and artifacts. The service speaks the REST API of Tuleap's trackers.

\`/api\` and \`/api/v1\` are one set of routes. An address in a representation (\`uri\`) is relative to either of them.
Start at \`/projects\` and follow \`resources\`.

**Credentials.** Sign in with \`POST /tokens\`, HTTP Basic or an access key. Anonymous readers may use many routes, if
the platform allows anonymous access. Wrong credentials fail on every route, also where no credentials are required.

**Pages.** A collection comes in pages of \`limit\` items, which begin at \`offset\`. The X-PAGINATION headers give the page and the
number of all items that the reader may see. A limit above the maximum is an error. The header Link of a page leads to
the next page, with a \`cursor\` instead of an offset.

**Errors.** An error is JSON. Its \`details\` point at each fault of the request. A method that a path does not have is
answered 405, with the methods of the path in Allow. OPTIONS is answered 200 on every path, without credentials.

**HEAD.** Every GET may be sent as HEAD, and is answered without the body. Allow does not name HEAD.

**Headers.** Every answer carries the headers of CORS, Cache-Control, Expires, Vary and X-Content-Type-Options.

**Values.** Times are ISO-8601 with offset. The service ignores query parameters that a route does not have.`;

export const securitySchemes = {
  authToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'The `token` of POST /tokens. A token is valid for 24 hours.',
  },
  authUserId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-UserId',
    description: 'The `user_id` of POST /tokens. Both headers are required.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'The name and the password of a user.' },
  accessKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-AccessKey',
    description: 'The `identifier` of POST /access_keys.',
  },
};

/** Each route takes these, whatever else it takes. */
export const REQUEST_HEADERS = {
  'X-Request-Id':
    'The name of the request in the logs: 1 to 64 letters, digits or any of `._-`. The default is a UUID.',
};

/** Of every answer, errors included. */
export const COMMON_HEADERS: Readonly<Record<string, AnswerHeader>> = {
  Allow: optionalHeader('The methods of the path'),
  'X-Request-Id': header('The name of the request in the logs'),
};

export const PAGE_HEADERS: Readonly<Record<string, AnswerHeader>> = {
  'X-PAGINATION-LIMIT': header('The limit of this page', NUMBER),
  'X-PAGINATION-OFFSET': header('How many items come before this page', NUMBER),
  'X-PAGINATION-SIZE': header('How many items the reader may see, on all pages', NUMBER),
  'X-PAGINATION-LIMIT-MAX': header('The greatest limit that the route takes', NUMBER),
  Link: optionalHeader('The next page, with rel="next". The last page has none.'),
};
