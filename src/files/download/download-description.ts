import { type SchemaObject } from 'ajv';
import { type BareRoute } from '../../http/bare-routes.js';
import { header } from '../../http/openapi/response-schema.js';
import { TAG } from '../schemas.js';

const ANY_TYPE = '*/*';

const BYTES: SchemaObject = { type: 'string', format: 'binary' };

const BYTES_HEADERS = {
  Etag: header('The value for If-None-Match and If-Range'),
  'Content-Disposition': header('The name of the file'),
  'Content-Security-Policy': header('A browser runs nothing of the file.'),
};

export const downloadDescription: BareRoute<never>['described'] = {
  GET: {
    tag: TAG,
    summary: 'Download a file.',
    description: 'The address is the `html_url` of an attached file.',
    params: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', pattern: '^[1-9][0-9]{0,15}-', description: 'Id and name: `101-log.txt`' },
      },
    },
    headers: {
      Range: 'One range of bytes',
      'If-Range': 'The Etag of the bytes that the client has',
      'If-None-Match': 'Etags in quotes, or `*`. If one is that of the file, the status is 304.',
      'If-Match': 'Etags in quotes, or `*`. If none is that of the file, the status is 412.',
    },
    answerHeaders: { described: { 'Accept-Ranges': header('The unit of ranges') }, of: () => ({}) },
    responses: {
      200: { description: 'The bytes of the file', schema: BYTES, mediaType: ANY_TYPE, headers: BYTES_HEADERS },
      206: {
        description: 'The bytes of the range',
        schema: BYTES,
        mediaType: ANY_TYPE,
        headers: { ...BYTES_HEADERS, 'Content-Range': header('Which bytes these are, of how many') },
      },
    },
    sharedErrors: [401, 403, 404, 429, 431, 500, 503],
    errors: { 412: 'The file is not one that If-Match names.', 416: 'The file has no byte in this range.' },
    errorHeaders: { 416: { 'Content-Range': header('How many bytes the file has: `bytes */1024`') } },
  },
};
