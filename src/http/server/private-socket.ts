/** Sockets within a directory, for processes of the service's own user. */
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { type Server } from 'node:http';
import { join, relative } from 'node:path';

/** What a socket's address may measure on Linux and macOS alike. */
const LONGEST_PATH = 100;

/** The shorter spelling of DATA_DIR/<name>.sock, since the system limits its length. */
export function socketPath(dataDirectory: string, name: string): string {
  const path = join(dataDirectory, `${name}.sock`);
  const local = relative(process.cwd(), path);
  const shortest = local.length < path.length ? local : path;
  if (Buffer.byteLength(shortest) > LONGEST_PATH) {
    throw new Error(`DATA_DIR is too long a path for its ${name} socket (${LONGEST_PATH} bytes at most): ${path}`);
  }
  return shortest;
}

/** Requires the data directory's lock, so that an existing socket is a leftover. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  const mask = process.umask(0o177);
  try {
    server.listen(path);
    await once(server, 'listening');
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}
