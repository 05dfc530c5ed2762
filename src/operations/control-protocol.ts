/** How the commands of operations reach a running service: one JSON request, answered by lines of JSON. */
import { socketPath } from '../http/server/private-socket.js';

/** Progress lines come first, then exactly one result or error. */
export type ControlLine = { readonly progress: unknown } | { readonly result: unknown } | { readonly error: string };

/** By name; `report` sends a progress line. */
export type ControlCommands = Readonly<
  Record<string, (input: unknown, report: (progress: unknown) => void) => Promise<unknown>>
>;

export const controlPath = (dataDirectory: string): string => socketPath(dataDirectory, 'control');
