/** What the routes of files take, for their validation and for the description of the API. */
import { type SchemaObject } from 'ajv';
import { pageQuery } from '../http/pages/pagination.js';

export const MAX_CHUNK_BYTES = 1_048_576;

const textSchema: SchemaObject = { type: 'string' };
const nameSchema: SchemaObject = { type: 'string', minLength: 1 };
const descriptionSchema: SchemaObject = { type: ['string', 'null'] };

export const contentQuery = pageQuery(MAX_CHUNK_BYTES, MAX_CHUNK_BYTES);

export const chunkSchema: SchemaObject = {
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'string' } },
};

export interface Announcement {
  readonly name: string;
  readonly description?: string | null;
  readonly file_size: number;
  readonly file_type: string;
}

export const announcement: SchemaObject = {
  type: 'object',
  required: ['name', 'file_size', 'file_type'],
  properties: {
    name: nameSchema,
    file_size: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    file_type: textSchema,
    description: descriptionSchema,
  },
};

export interface FirstChunk {
  readonly name: string;
  readonly mimetype: string;
  readonly content: string;
  readonly description?: string | null;
}

export const firstChunk: SchemaObject = {
  type: 'object',
  required: ['name', 'mimetype', 'content'],
  properties: { name: nameSchema, mimetype: textSchema, content: textSchema, description: descriptionSchema },
};

export interface NextChunk {
  readonly content: string;
  readonly offset: number | string;
}

export const nextChunk: SchemaObject = {
  type: 'object',
  required: ['content', 'offset'],
  properties: {
    content: textSchema,
    offset: { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,9}$', examples: [1] },
  },
};

export const UPLOADS_MAX = 50;

export const uploadsQuery = pageQuery(10, UPLOADS_MAX);
