import { type Middleware } from 'koa';

/** Of every answer, errors included. Spelled as the contract spells them: some clients compare names by case. */
export const STANDING = {
  'Cache-Control': 'no-store',
  Expires: '0',
  Vary: 'Accept, Accept-Encoding, Authorization, X-Auth-Token, X-Auth-UserId, X-Auth-AccessKey',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Allow-Headers': [
    'Authorization',
    'Content-Type',
    'Origin',
    'X-Auth-UserId',
    'X-Auth-Token',
    'X-Client-Uuid',
    'X-Auth-AccessKey',
    'If-Match',
    'If-None-Match',
    'If-Unmodified-Since',
    'Idempotency-Key',
    'X-Request-Id',
    'Range',
    'If-Range',
    'Tus-Resumable',
    'Upload-Offset',
    'X-HTTP-Method-Override',
  ].join(', '),
  'Access-Control-Expose-Headers': [
    'X-PAGINATION-SIZE',
    'X-PAGINATION-LIMIT-MAX',
    'X-PAGINATION-LIMIT',
    'X-PAGINATION-OFFSET',
    'Link',
    'Etag',
    'Last-Modified',
    'Location',
    'Allow',
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-Request-Id',
    'X-QUOTA',
    'X-DISK-USAGE',
    'X-UPLOAD-MAX-FILE-CHUNKSIZE',
    'Content-Disposition',
    'Accept-Ranges',
    'Content-Range',
    'Tus-Resumable',
    'Tus-Version',
    'Tus-Extension',
    'Upload-Offset',
    'Upload-Length',
  ].join(', '),
};

/** How long browsers keep what they may send: Chromium keeps nothing for longer. */
const PREFLIGHT_S = 7200;

const METHODS = ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/** The methods of a path, as Allow has them: always in this order, because some clients compare the text. */
export const allowed = (methods: Iterable<string>): string =>
  ['OPTIONS', ...methods].sort((a, b) => METHODS.indexOf(a) - METHODS.indexOf(b)).join(', ');

export function defaultHeaders(): Middleware {
  const standing = Object.entries(STANDING);
  return (ctx, next) => {
    for (const [name, value] of standing) ctx.res.setHeader(name, value);
    if (ctx.method === 'OPTIONS') ctx.res.setHeader('Access-Control-Max-Age', PREFLIGHT_S);
    return next();
  };
}
