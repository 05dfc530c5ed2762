/** Bodies of answers, by status. */
import { type SchemaObject } from 'ajv';

export type Examples = Readonly<Record<number, unknown>>;

/** By id of the operation. Those of errors that all routes share stand under `shared`. */
export type ApiExamples = Readonly<Record<string, Examples>>;

export const contentOf = (schema: SchemaObject, example: unknown, mediaType = 'application/json'): object => ({
  [mediaType]: { schema, ...(example !== undefined && { example }) },
});
