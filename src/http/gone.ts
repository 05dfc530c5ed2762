import { type Context } from 'koa';
import { Problem } from '../core/problem.js';

/** Ends work that no client waits for any longer. Nobody reads its message. */
export class ClientLeft extends Problem {
  constructor() {
    super('unavailable', 'the client has left');
  }
}

/** Aborts when the client has left before it was answered. */
export function goneOf({ res }: Context): AbortSignal {
  const leaving = new AbortController();
  // Nobody tells again.
  if (res.closed) leaving.abort();
  res.once('close', () => {
    if (!res.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
