/** What is expected of a request while a projection has never served. */
import { type Stock } from './unserved-stock.js';

type Headers = Readonly<Record<string, string>>;

export interface Sent {
  /** From the root. */
  readonly path: string;
  readonly body?: object | string;
  readonly headers?: Headers;
}

export interface Expected {
  readonly route: string;
  /** Tells the requests of one route apart. */
  readonly title: string;
  readonly as: 'alice' | 'bob' | null;
  /** While everything that it needs is served. */
  readonly status: number;
  readonly needs: readonly string[];
  readonly sent: (stock: Stock) => Sent;
}

export function expected(
  route: string,
  as: Expected['as'],
  status: number,
  needs: string,
  sent: Expected['sent'],
  that = '',
): Expected {
  const title = [route, that, `as ${as ?? 'nobody'}`].filter((part) => part !== '').join(' ');
  return { route, title, as, status, needs: needs === '' ? [] : needs.split(' '), sent };
}

export const api = (path: string, body?: object, headers?: Headers): Sent => ({
  path: `/api${path}`,
  ...(body !== undefined && { body }),
  ...(headers !== undefined && { headers }),
});
