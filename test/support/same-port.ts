import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { retryUntil } from '../../src/core/concurrency/retry.js';

const PATIENCE = { patienceMs: 30_000, longestPauseMs: 200 };

/** Below those that this machine gives to connections: while nobody listens on it, it is not given to anybody. */
export const portOfOnesOwn = (): number => randomInt(10_000, 30_000);

/** One that nothing listens on now: the system may give it to a connection before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Listens on a port that was one's own before: while nobody listened on it, a connection of this machine may have been given
 * it, which does not keep it for long.
 */
export async function listenAgain<T extends object>(listen: () => Promise<T>): Promise<T> {
  const listening = await retryUntil(
    () =>
      listen().catch((error: unknown) => {
        if (String(error).includes('EADDRINUSE')) return null;
        throw error;
      }),
    PATIENCE,
  );
  if (listening === null) throw new Error('Somebody else keeps the port');
  return listening;
}
