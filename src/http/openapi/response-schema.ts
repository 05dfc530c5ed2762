/** Words to describe answers with. Members that are not named optional are always there, and there are no others. */
import { type SchemaObject } from 'ajv';

export const TEXT: SchemaObject = { type: 'string' };
export const NUMBER: SchemaObject = { type: 'integer' };
export const FLAG: SchemaObject = { type: 'boolean' };
export const NOTHING: SchemaObject = { type: 'null' };

type Properties = Readonly<Record<string, SchemaObject>>;

export function objectOf(properties: Properties, optional: readonly string[] = []): SchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties,
  };
}

export const EMPTY = objectOf({});

/** An object whose members have names of the platform. */
export const mapOf = (members: SchemaObject): SchemaObject => ({ type: 'object', additionalProperties: members });

export const listOf = (items: SchemaObject): SchemaObject => ({ type: 'array', items });

export const oneOf = (...values: readonly string[]): SchemaObject => ({ type: 'string', enum: values });

export const anyOf = (...schemas: readonly SchemaObject[]): SchemaObject => ({ anyOf: schemas });

export const orNull = (schema: SchemaObject): SchemaObject =>
  typeof schema['type'] === 'string' && schema['title'] === undefined && schema['enum'] === undefined
    ? { ...schema, type: [schema['type'], 'null'] }
    : anyOf(schema, NOTHING);

const CONTROLS = '\\u0000-\\u001F\\u007F-\\u009F';

/** A text without control characters, for the description alone: parsers check it. */
export const lineOf = (description: string, { start = '', without = '' } = {}): SchemaObject => ({
  type: 'string',
  published: { type: 'string', pattern: `^${start}[^${CONTROLS}${without}]*$`, description },
});

/** A schema with a title is one of the components of the description. */
export const named = (title: string, schema: SchemaObject): SchemaObject => ({ title, ...schema });

export const described = (description: string, schema: SchemaObject): SchemaObject =>
  schema['title'] === undefined ? { ...schema, description } : { description, allOf: [schema] };

/** A header of an answer. One that is not required is absent where its description says so. */
export interface AnswerHeader {
  readonly description: string;
  readonly required: boolean;
  readonly schema: SchemaObject;
}

export type AnswerHeaders = Readonly<Record<string, AnswerHeader>>;

export const header = (description: string, schema = TEXT): AnswerHeader => ({ description, required: true, schema });

export const optionalHeader = (description: string, schema = TEXT): AnswerHeader => ({
  description,
  required: false,
  schema,
});
