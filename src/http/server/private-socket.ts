/** Sockets within a directory, for processes of the service's own user. */
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { type Server } from 'node:http';
import { relative, resolve } from 'node:path';

/** What a socket's address may measure on Linux and macOS alike. */
const LONGEST_PATH = 100;

/** DATA_DIR/<name>.sock, as messages name it. Throws if the system takes no spelling of it. */
export function socketPath(dataDirectory: string, name: string): string {
  const path = resolve(dataDirectory, `${name}.sock`);
  if (Buffer.byteLength(shortened(path)) > LONGEST_PATH) {
    throw new Error(`DATA_DIR is too long a path for its ${name} socket (${LONGEST_PATH} bytes at most): ${path}`);
  }
  return path;
}

/** The shorter spelling, to listen and to connect: the system limits its length. */
export function shortened(path: string): string {
  const local = relative(process.cwd(), path);
  return local.length < path.length ? local : path;
}

/** An error of the system with the path itself, where it names the shorter spelling. */
export function withWholePath(error: unknown, path: string): unknown {
  if (error instanceof Error) error.message = error.message.replace(` ${shortened(path)}`, ` ${path}`);
  return error;
}

/** Requires the data directory's lock, so that an existing socket is a leftover. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177);
  try {
    rmSync(path, { force: true });
    server.listen(shortened(path));
    await once(server, 'listening');
  } catch (error) {
    throw withWholePath(error, path);
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}
