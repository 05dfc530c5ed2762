import { type SchemaObject } from 'ajv';

/** Whether a request may come without its body, which is read as {} then. */
export const isOptionalBody = (schema: SchemaObject): boolean =>
  [schema['type']].flat().includes('object') && requiredIn(schema).length === 0;

/** The names of required members. */
export function requiredIn(schema: SchemaObject | undefined): readonly unknown[] {
  const required: unknown = schema?.['required'];
  return Array.isArray(required) ? required : [];
}
