/** How the commands of operations reach a running service: one JSON request, answered by lines of JSON. */
import { join, relative } from 'node:path';

/** Progress lines come first, then exactly one result or error. */
export type ControlLine = { readonly progress: unknown } | { readonly result: unknown } | { readonly error: string };

/** By name; `report` sends a progress line. */
export type ControlCommands = Readonly<
  Record<string, (input: unknown, report: (progress: unknown) => void) => Promise<unknown>>
>;

/** What a socket's address may measure on Linux and macOS alike. */
const LONGEST_PATH = 100;

/** The shorter spelling of DATA_DIR/control.sock, since the system limits its length. */
export function controlPath(dataDirectory: string): string {
  const path = join(dataDirectory, 'control.sock');
  const local = relative(process.cwd(), path);
  const shortest = local.length < path.length ? local : path;
  if (Buffer.byteLength(shortest) > LONGEST_PATH) {
    throw new Error(`DATA_DIR is too long a path for its control socket (${LONGEST_PATH} bytes at most): ${path}`);
  }
  return shortest;
}
