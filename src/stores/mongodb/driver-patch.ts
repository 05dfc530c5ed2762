/** What the driver has to be kept from. */
import { createRequire } from 'node:module';
import { type EventEmitter } from 'node:events';
import { MongoNetworkError } from 'mongodb';

/** Members of driver 7.8.0 that it keeps to itself. */
interface Connection extends EventEmitter {
  readonly closed: boolean;
  readonly error: Error | null;
  writeCommand: (this: Connection, ...args: unknown[]) => Promise<void>;
}

interface Internals {
  readonly Connection: { readonly prototype: Connection };
}

const mended = new WeakSet<object>();

/**
 * A connection that ends while a command is handed to it leaves that command waiting for ever for room to write. If it
 * was the connection of the monitor, no further check runs, and the client stays lost although the server is back. A
 * restart of a server does this, because it ends all connections at once. Here such a command fails.
 */
export function patchDriver(): void {
  const { prototype } = (createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as Internals).Connection;
  if (mended.has(prototype)) return;
  mended.add(prototype);
  const { writeCommand } = prototype;
  prototype.writeCommand = function (...args) {
    return unlessClosed(this, writeCommand.apply(this, args));
  };
}

async function unlessClosed(connection: Connection, written: Promise<void>): Promise<void> {
  let close = (): void => undefined;
  const closed = new Promise<never>((_, reject) => {
    close = () => {
      reject(connection.error ?? new MongoNetworkError('The connection has ended'));
    };
  });
  if (connection.closed) close();
  connection.once('close', close);
  try {
    await Promise.race([written, closed]);
  } finally {
    connection.off('close', close);
  }
}
