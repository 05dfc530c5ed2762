/** How the commands of operations reach a running service: one request of lines of JSON, answered by such lines. */
import { socketPath } from '../http/server/private-socket.js';
import { type ValuePart } from './value-parts.js';

/** Progress lines come first, then the parts of the result and its end, or an error. */
export type ControlLine =
  { readonly progress: unknown } | { readonly part: ValuePart } | { readonly end: true } | { readonly error: string };

/** `report` sends a progress line. `ended` aborts once nobody waits for the result. */
export type ControlCommand = (
  input: unknown,
  report: (progress: unknown) => void,
  ended?: AbortSignal,
) => Promise<unknown>;

export type ControlCommands = Readonly<Record<string, ControlCommand>>;

export const controlPath = (dataDirectory: string): string => socketPath(dataDirectory, 'control');

/** Readers of lines end one at these two characters, too. */
export const lineOf = (json: ControlLine | ValuePart): string =>
  `${JSON.stringify(json).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
