/** Words to describe answers with. Members that are not named optional are always there. */
import { type SchemaObject } from 'ajv';

export const TEXT: SchemaObject = { type: 'string' };
export const NUMBER: SchemaObject = { type: 'integer' };
export const FLAG: SchemaObject = { type: 'boolean' };
export const OBJECT: SchemaObject = { type: 'object' };

export function objectOf(
  properties: Readonly<Record<string, SchemaObject>>,
  optional: readonly string[] = [],
): SchemaObject {
  return { type: 'object', required: Object.keys(properties).filter((name) => !optional.includes(name)), properties };
}

export const listOf = (items: SchemaObject): SchemaObject => ({ type: 'array', items });

export const orNull = (schema: SchemaObject): SchemaObject => ({ anyOf: [schema, { type: 'null' }] });

export const described = (description: string, schema: SchemaObject): SchemaObject => ({ ...schema, description });
