import { messageOf } from '../core/concurrency/retry.js';
import { Problem, reasonOf } from '../core/problem.js';

/** For the end of a command: what went wrong goes to standard error, in words. */
export function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Problem ? reasonOf(error) : messageOf(error)}\n`);
  process.exit(1);
}
