import { type Context } from 'koa';
import { Problem } from '../core/problem.js';
import './state.js';

/** Ends work that no client waits for any longer. Nobody reads its message. */
export class ClientLeft extends Problem {
  constructor() {
    super('unavailable', 'the client has left');
  }
}

/** Aborts, for the reason that the client has left, when it has done so before it was answered. */
export function goneOf({ res, state }: Context): AbortSignal {
  if (state.gone !== undefined) return state.gone;
  const leaving = new AbortController();
  state.gone = leaving.signal;
  // Nobody tells again.
  if (res.closed) leaving.abort(new ClientLeft());
  res.once('close', () => {
    if (!res.writableFinished) leaving.abort(new ClientLeft());
  });
  return leaving.signal;
}
