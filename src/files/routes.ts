import { type Viewer } from '../authorization/viewer.js';
import { route, type Headers, type Route } from '../http/route.js';
import { type BareRoute } from '../http/bare-routes.js';
import { setPage, type PageQuery } from '../http/pages/pagination.js';
import { idParam, type IdParams } from '../http/validate.js';
import { downloadHref, uploadHref } from './addresses.js';
import { gatheredContent } from './download/content.js';
import { downloadRoute } from './download/download-route.js';
import { checkUploadFor } from './upload/file-fields.js';
import { checkedFileMetadata } from './file-metadata.js';
import { uploaderOf } from './commands.js';
import { type FilePorts } from './ports.js';
import { tusUploads, type TusUploads } from './upload/tus-upload.js';
import { temporaryFileRoutes } from './upload/temporary-file-routes.js';
import { tusRoute } from './upload/tus-route.js';
import * as schemas from './schemas.js';
import { visibleFile } from './queries.js';
import { byItsId } from '../http/openapi/links.js';

export function fileRoutes(ports: FilePorts): {
  readonly api: readonly Route<Viewer>[];
  readonly bare: readonly BareRoute<Viewer>[];
} {
  const uploads = tusUploads(ports);
  return {
    api: [content(ports), announce(ports, uploads), ...temporaryFileRoutes(ports)],
    bare: [downloadRoute(ports), tusRoute(uploads)],
  };
}

const CHUNK_SIZE = {
  described: { 'X-UPLOAD-MAX-FILE-CHUNKSIZE': schemas.QUOTA['X-UPLOAD-MAX-FILE-CHUNKSIZE'] },
  of: (): Headers => ({ 'X-UPLOAD-MAX-FILE-CHUNKSIZE': String(schemas.MAX_CHUNK_BYTES) }),
};

const content = (ports: FilePorts): Route<Viewer> =>
  route<Viewer, IdParams, PageQuery>({
    method: 'GET',
    path: '/artifact_files/:id',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'Get a chunk of an attached file.',
    description:
      'In Base64. The next offset is the offset plus X-PAGINATION-LIMIT, while the sum is below X-PAGINATION-SIZE.',
    params: idParam('file'),
    query: schemas.contentQuery,
    answerHeaders: CHUNK_SIZE,
    responses: { 200: { description: 'The chunk', schema: schemas.chunkSchema } },
    async handle({ ctx, params, query: { limit, offset }, viewer }) {
      const { id, size } = await visibleFile(params.id, ports, viewer);
      const bytes = await gatheredContent(id, Math.min(offset, size), Math.min(offset + limit, size), ports);
      setPage(ctx, { limit, offset, total: size, max: schemas.MAX_CHUNK_BYTES });
      // Most files are compressed already.
      ctx.compress = false;
      ctx.body = { data: bytes.toString('base64') };
    },
  });

const announce = (ports: FilePorts, uploads: TusUploads): Route<Viewer> =>
  route<Viewer, IdParams, object, schemas.Announcement>({
    method: 'POST',
    path: '/tracker_fields/:id/files',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Announce a file for a field.',
    description:
      'The client then sends the bytes to `upload_href` by tus 1.0. The same announcement gets the same answer while the upload goes on.',
    params: idParam('field'),
    body: schemas.announcement,
    responses: {
      200: {
        description: 'The id of the file, and its addresses',
        schema: schemas.announcedSchema,
        links: byItsId('headUploadsTrackerFileId', 'patchUploadsTrackerFileId', 'deleteUploadsTrackerFileId'),
      },
    },
    errors: { 409: 'The user has too many files that are not attached.' },
    async handle({ ctx, params, body, viewer }) {
      const { file_size: expected, file_type: mediaType, name, description } = body;
      const refuse = () => {
        checkUploadFor(params.id, expected, ports.definitions, viewer);
      };
      refuse();
      const words = checkedFileMetadata({ name, mediaType, description }, 'file_type');
      const by = uploaderOf({ viewer, requestId: ctx.state.requestId }, refuse);
      const id = await uploads.announce({ ...words, owner: by.userId, expected, fieldId: params.id }, by);
      ctx.body = {
        id,
        upload_href: expected === 0 ? null : uploadHref(id),
        download_href: downloadHref(id, name),
      };
    },
  });
