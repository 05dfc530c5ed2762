/** Paths inside a repository, as settings name them. A file of its own because two kinds of settings do. */
import { type Violation } from '../core/problem.js';

const MAX_BYTES = 4096;
const DOTS = /\/\.\.?(?:\/|$)/;

/** Empty for a path from the root of a repository; it may end in a slash and hold wildcards. */
export function svnPathFault(path: string, pointer: string): readonly Violation[] {
  const message = pathFault(path);
  return message === undefined ? [] : [{ pointer, message }];
}

function pathFault(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must be a path that starts with a slash';
  if (/\p{Cc}/u.test(path)) return 'holds a control character';
  if (DOTS.test(path)) return 'holds . or .. as a step';
  return Buffer.byteLength(path) > MAX_BYTES ? `is longer than ${MAX_BYTES} bytes` : undefined;
}

/** Short enough for messages, of which there may be many. */
export const shownPath = (path: string): string => (path.length > MAX_BYTES ? `${path.slice(0, 60)}…` : path);
