/** What a JSON document may be like, beyond its size in bytes. */
import { Problem } from '../core/problem.js';

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Level by level, so that no depth can exhaust the stack. Text that is no Unicode is refused because no store would
 * give it back as it came.
 */
export function checkJson(document: unknown, source: string): void {
  const mayHoldSurrogates = ESCAPED_SURROGATE.test(source);
  let level: unknown[] = [document];
  let values = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new Problem('invalid', `the body is nested deeper than ${MAX_DEPTH} levels`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'object' && value !== null) addChildren(next, value, mayHoldSurrogates);
      else if (mayHoldSurrogates) checkText(value);
    }
    values += next.length;
    if (values > MAX_VALUES) throw new Problem('invalid', `the body holds more than ${MAX_VALUES} values`);
    level = next;
  }
}

function addChildren(next: unknown[], value: object, mayHoldSurrogates: boolean): void {
  if (Array.isArray(value)) {
    for (const item of value) next.push(item);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (mayHoldSurrogates) checkText(name);
    next.push(member);
  }
}

function checkText(value: unknown): void {
  if (typeof value === 'string' && LONE_SURROGATE.test(value)) {
    throw new Problem('invalid', 'the body holds text that is not Unicode (half of a surrogate pair)');
  }
}
