import { type SchemaObject } from 'ajv';
import { invalidAt, invalidIn } from '../core/problem.js';
import { checkJson } from './body/json-limits.js';

/** Of a parameter that takes a JSON object as its text. */
export const jsonText = (description: string): SchemaObject => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: { type: 'object' },
  description,
});

/** The JSON in a parameter of the query, within the limits of a body; undefined without any. */
export function jsonParameter(name: string, text = ''): unknown {
  if (text.trim() === '') return undefined;
  checkJson(text, name);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidAt(name, 'is not JSON');
  }
}

/** The members of a JSON object in a parameter of the query; none without any. */
export function jsonObjectParameter(name: string, text?: string): ReadonlyMap<string, unknown> {
  const value = jsonParameter(name, text) ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return new Map(Object.entries(value));
  throw invalidAt(name, 'must be a JSON object');
}

/** As clients write it: some send texts, others numbers. */
const TRUE: ReadonlySet<unknown> = new Set([true, 'true', 1, '1']);

/** Of a member of `query` that asks for something, and cannot ask for the contrary. */
export function expectTrue(member: string, value: unknown, allowed = 'true'): void {
  if (!TRUE.has(value)) throw invalidIn('query', `query: ${member} can only be ${allowed}`);
}
