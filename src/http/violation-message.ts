/** What a schema finds in a request, in words: what is allowed, and which value of the URL is not. */
import { type ErrorObject } from 'ajv';

const MAX_SHOWN = 60;

/** The types of JSON Schema, in words. */
export const TYPE_WORDS: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  array: 'a list',
  object: 'an object',
};

type Message = (params: Readonly<Record<string, unknown>>, error: ErrorObject) => string;

const MESSAGES: Readonly<Record<string, Message>> = {
  required: () => 'is required',
  additionalProperties: () => 'is unknown',
  minLength: ({ limit }) => (limit === 1 ? 'is required' : `must have at least ${String(limit)} characters`),
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  minItems: ({ limit }) => `must have at least ${String(limit)} items`,
  // Some clients write an empty object as an empty list.
  maxItems: ({ limit }) => (limit === 0 ? 'must be an object' : `must have at most ${String(limit)} items`),
  minProperties: ({ limit }) => `must have at least ${String(limit)} members`,
  maxProperties: ({ limit }) => `must have at most ${String(limit)} members`,
  minimum: ({ limit }, error) => `must be at least ${String(limit)}${instead(error)}`,
  maximum: ({ limit }, error) => `must be at most ${String(limit)}${instead(error)}`,
  enum: ({ allowedValues }, error) => `must be ${choice(allowedValues)}${instead(error)}`,
  type: ({ type }, error) => rangeOf(error) ?? `must be ${listed(type).map(worded).join(' or ')}${instead(error)}`,
  format: ({ format }, error) =>
    format === 'date-time'
      ? `must be an instant such as 2026-01-31T09:30:00Z${instead(error)}`
      : `must be a ${String(format)}${instead(error)}`,
  pattern: (_, error) => `must look like ${listed(schemaOf(error)['examples']).join(' or ')}${instead(error)}`,
};

/** Shows the value of a parameter. Values of bodies are not shown: some are secret. Ajv has to be verbose. */
export function parameterMessage(error: ErrorObject): string {
  return MESSAGES[error.keyword]?.(error.params, error) ?? error.message ?? 'is not valid';
}

export const bodyMessage = (error: ErrorObject): string => parameterMessage({ ...error, data: undefined });

function instead({ data }: ErrorObject): string {
  if (typeof data === 'number') return `, not ${data}`;
  if (typeof data !== 'string') return '';
  return `, not ${JSON.stringify(data.length > MAX_SHOWN ? `${data.slice(0, MAX_SHOWN)}…` : data)}`;
}

/** An empty text, which some clients send for a parameter that they leave out, is no choice to tell of. */
function choice(allowed: unknown): string {
  const words = listed(allowed).filter((word) => word !== '');
  return words.length === 1 && listed(allowed).length > 1
    ? `${words.join()} if it is given`
    : `one of ${words.join(', ')}`;
}

/** A whole number of the URL that is beyond the exact ones is left as text. Undefined for another text. */
function rangeOf(error: ErrorObject): string | undefined {
  const { params, data } = error;
  if (params['type'] !== 'integer' || typeof data !== 'string' || !/^-?[1-9]\d*$/.test(data)) return undefined;
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schemaOf(error);
  const range = data.startsWith('-') ? `at least ${String(minimum)}` : `at most ${String(maximum)}`;
  return `must be ${range}${instead(error)}`;
}

const worded = (type: string): string => (type === 'null' ? 'null' : (TYPE_WORDS[type] ?? type));

const listed = (values: unknown): readonly string[] => (Array.isArray(values) ? values : [values]).map(String);

function schemaOf({ parentSchema }: ErrorObject): Readonly<Record<string, unknown>> {
  return parentSchema ?? {};
}
