/** What the routes of files take, for their validation and for the description of the API. */
import { type SchemaObject } from 'ajv';
import {
  described,
  header,
  lineOf,
  named,
  NOTHING,
  NUMBER,
  objectOf,
  orNull,
  TEXT,
} from '../http/openapi/response-schema.js';
import { pageQuery } from '../http/pages/pagination.js';
import { type Tag } from '../http/route.js';

export const TAG: Tag = { name: 'Files', description: 'A client sends a file, then attaches it by its id.' };

export const MAX_CHUNK_BYTES = 1_048_576;

const NAME = lineOf('At most 255 bytes');
const MEDIA_TYPE = lineOf('At most 255 bytes', { without: '\\uFFFE\\uFFFF' });
const nameSchema: SchemaObject = {
  ...NAME,
  minLength: 1,
  published: { ...(NAME['published'] as SchemaObject), minLength: 1 },
};
const descriptionSchema: SchemaObject = { type: ['string', 'null'] };

const BASE64: SchemaObject = { type: 'string', contentEncoding: 'base64', description: 'The chunk in Base64' };

/** Of the answers about uploads in chunks. */
export const QUOTA = {
  'X-QUOTA': header('The bytes that the files of a user may have until they are attached', NUMBER),
  'X-DISK-USAGE': header('The bytes that the files of the caller have', NUMBER),
  'X-UPLOAD-MAX-FILE-CHUNKSIZE': header('The bytes that a chunk may have', NUMBER),
};

export const contentQuery = pageQuery(MAX_CHUNK_BYTES, MAX_CHUNK_BYTES);

export const chunkSchema = named('FileChunk', objectOf({ data: described('In Base64', TEXT) }));

const file = {
  id: NUMBER,
  submitted_by: NUMBER,
  description: TEXT,
  name: TEXT,
  size: described('In bytes', NUMBER),
  type: TEXT,
  html_preview_url: NOTHING,
  uri: TEXT,
};

export const attachedSchema = named('AttachedFile', objectOf({ ...file, html_url: TEXT }));
export const temporarySchema = named('TemporaryFile', objectOf({ ...file, html_url: NOTHING }));

export const announcedSchema = named(
  'AnnouncedFile',
  objectOf({
    id: NUMBER,
    upload_href: described('Where tus 1.0 sends the bytes. Null for an empty file.', orNull(TEXT)),
    download_href: TEXT,
  }),
);

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
    file_type: MEDIA_TYPE,
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
  properties: {
    name: nameSchema,
    mimetype: MEDIA_TYPE,
    content: BASE64,
    description: descriptionSchema,
  },
};

export interface NextChunk {
  readonly content: string;
  readonly offset: number | string;
}

export const nextChunk: SchemaObject = {
  type: 'object',
  required: ['content', 'offset'],
  properties: {
    content: BASE64,
    offset: {
      type: ['integer', 'string'],
      minimum: 0,
      pattern: '^\\d{1,9}$',
      examples: [1],
      description: 'The number of the chunk. The file began with chunk 1.',
    },
  },
};

export const UPLOADS_MAX = 50;

export const uploadsQuery = pageQuery(10, UPLOADS_MAX);
