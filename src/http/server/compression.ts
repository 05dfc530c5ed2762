/** Answers as gzip or Brotli, for clients that take them. */
import { Stream } from 'node:stream';
import { constants } from 'node:zlib';
import { type Middleware } from 'koa';
import compress from 'koa-compress';

/** In bytes: a shorter answer is sent as it is. */
const SHORTEST = 1024;

/** Low levels and a window of 256 KiB: a slow client holds one window, and higher levels cost many times the time. */
const ENCODINGS = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  gzip: { level: 4 },
  deflate: false,
  zstd: false,
};

/** A route leaves its answer as it is by `ctx.compress = false`. Compressing is done on threads of Node. */
export function compression(): Middleware {
  const compressed = compress({ threshold: SHORTEST, ...ENCODINGS });
  return async (ctx, next) => {
    if (ctx.req.headers['accept-encoding'] === undefined) {
      await next();
      return;
    }
    const made: { body?: unknown } = {};
    await compressed(ctx, async () => {
      await next();
      // A client that refuses every encoding is sent the answer as it is.
      if (ctx.acceptsEncodings('br', 'gzip', 'identity') === false) ctx.compress = false;
      made.body = ctx.body;
    });
    const [source, sent] = [made.body, ctx.body as unknown];
    if (source === sent || !(source instanceof Stream) || !(sent instanceof Stream.Transform)) return;
    // `pipe` hands on no errors: the end of the answer would never come.
    source.once('error', (error: Error) => sent.destroy(error));
  };
}
