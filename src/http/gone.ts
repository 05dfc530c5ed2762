import { type Context } from 'koa';
import { noteCaller } from '../core/logs/answer-slices.js';
import { Problem } from '../core/problem.js';
import './state.js';

/** Ends work that no client waits for any longer. Nobody reads its message. */
export class ClientLeft extends Problem {
  constructor() {
    super('unavailable', 'the client has left');
  }
}

/** As the request tells before its credentials are checked: to find out that they are wrong takes little time. */
export const callerOf = ({ state: { address }, req: { headers } }: Context): string =>
  [address, headers['x-auth-userid'], headers['x-auth-accesskey'], headers.authorization].join(' ');

/** Aborts, for the reason that the client has left, when it has done so before it was answered. */
export function goneOf(ctx: Context): AbortSignal {
  const { res, state } = ctx;
  const leaving = new AbortController();
  state.gone = leaving.signal;
  noteCaller(leaving.signal, callerOf(ctx));
  // Nobody tells again.
  if (res.closed) leaving.abort(new ClientLeft());
  res.once('close', () => {
    if (!res.writableFinished) leaving.abort(new ClientLeft());
  });
  return leaving.signal;
}
