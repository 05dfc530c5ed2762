/** The words of tus 1.0, and what the API description says of them. */
import { type BareRoute } from '../../http/bare-routes.js';
import { header, NUMBER, oneOf, TEXT } from '../../http/openapi/response-schema.js';
import { idParam } from '../../http/validate.js';
import { TAG } from '../schemas.js';

export const TUS_VERSION = '1.0.0';
export const PIECE_TYPE = 'application/offset+octet-stream';

/** Of every answer. */
export const TUS_HEADERS = {
  'Tus-Resumable': TUS_VERSION,
  'Tus-Version': TUS_VERSION,
  'Tus-Extension': 'termination',
};

const shared = {
  tag: TAG,
  params: idParam('file'),
  answerHeaders: {
    described: {
      'Tus-Resumable': header('The version of the protocol'),
      'Tus-Version': header('The versions that the service speaks'),
      'Tus-Extension': header('The extensions that the service speaks'),
    },
    of: () => TUS_HEADERS,
  },
  sharedErrors: [401, 403, 404, 429, 431, 500, 503],
  errors: { 412: 'The header Tus-Resumable is missing, or names another version.' },
} as const;

const VERSION = {
  'Tus-Resumable': { description: 'The version of the protocol', required: true, schema: oneOf(TUS_VERSION) },
};

const OFFSET = header('How many bytes of the file have arrived', NUMBER);

export const tusDescription: BareRoute<never>['described'] = {
  HEAD: {
    ...shared,
    summary: 'Get how far an upload is.',
    headers: VERSION,
    responses: {
      200: {
        description: 'The bytes that have arrived, and those of the whole file',
        schema: null,
        headers: { 'Upload-Offset': OFFSET, 'Upload-Length': header('How many bytes the file has', NUMBER) },
      },
    },
  },
  PATCH: {
    ...shared,
    summary: 'Send the next bytes of a file.',
    description:
      'The address is the `upload_href` of an announced file. A broken upload continues at Upload-Offset. POST with `X-HTTP-Method-Override: PATCH` does the same.',
    headers: {
      ...VERSION,
      'Upload-Offset': {
        description: 'How many bytes of the file have arrived',
        required: true,
        schema: { ...TEXT, pattern: '^[0-9]{1,15}$' },
      },
    },
    body: { type: 'string', format: 'binary' },
    bodyType: PIECE_TYPE,
    responses: {
      204: {
        description: 'The bytes are stored. There is no body.',
        schema: null,
        headers: { 'Upload-Offset': OFFSET },
      },
    },
    errors: {
      ...shared.errors,
      400: 'Upload-Offset is missing, or is no number of bytes.',
      408: 'The bytes do not arrive, or too slowly. The upload can continue.',
      409: 'Upload-Offset is not the number of bytes that have arrived, or another request sends bytes.',
      413: 'More bytes than the file has.',
      415: `The type of the body is not ${PIECE_TYPE}.`,
      507: 'The storage for files is full.',
    },
  },
  DELETE: {
    ...shared,
    summary: 'End an upload.',
    headers: VERSION,
    responses: { 204: { description: 'The file is gone. There is no body.', schema: null } },
  },
};
