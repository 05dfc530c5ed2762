import { type Context } from 'koa';

/** Aborts when the client has left before it was answered. */
export function goneOf({ res }: Context): AbortSignal {
  const leaving = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
