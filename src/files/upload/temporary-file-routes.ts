/** Uploads in chunks over the API. Apart from the other routes of files because all of them tell the user's quota. */
import { type Viewer } from '../../authorization/viewer.js';
import { listOf } from '../../http/openapi/response-schema.js';
import { setPage, type PageQuery } from '../../http/pages/pagination.js';
import { route, type Headers, type Route, type RouteRequest } from '../../http/route.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { gatheredContent } from '../download/content.js';
import { type File } from '../file.js';
import { checkedFileMetadata } from '../file-metadata.js';
import { uploaderOf, type Uploader } from '../commands.js';
import { type FilePorts } from '../ports.js';
import { diskUsage, ownUploads } from '../queries.js';
import { temporaryFile } from '../representation.js';
import * as schemas from '../schemas.js';
import { continueUpload, discardUpload, ownUpload, QUOTA_BYTES, startUpload } from './uploads.js';
import { byItsId } from '../../http/openapi/links.js';

/** A chunk in Base64, with room for its line breaks and for the answer that it is too large. */
const BODY_BYTES = 2_097_152;

export const temporaryFileRoutes = (ports: FilePorts): readonly Route<Viewer>[] => [
  start(ports),
  goOn(ports),
  list(ports),
  content(ports),
  discard(ports),
];

const uploader = ({ ctx, viewer }: Pick<RouteRequest<Viewer, never, never, never>, 'ctx' | 'viewer'>): Uploader =>
  uploaderOf({ viewer, requestId: ctx.state.requestId });

/** The usage is the caller's, once that is known. */
const quota =
  (ports: FilePorts) =>
  async (viewer: Viewer | null): Promise<Headers> => {
    const user = viewer?.user ?? null;
    return {
      'X-QUOTA': String(QUOTA_BYTES),
      'X-DISK-USAGE': String(user === null ? 0 : await diskUsage(user.id, ports)),
      'X-UPLOAD-MAX-FILE-CHUNKSIZE': String(schemas.MAX_CHUNK_BYTES),
    };
  };

const quotaOf = (ports: FilePorts) => ({ described: schemas.QUOTA, of: quota(ports) });

const represent = ({ id, info, size }: File) => temporaryFile({ id, ...info, size });

const start = (ports: FilePorts): Route<Viewer> =>
  route<Viewer, object, object, schemas.FirstChunk>({
    method: 'POST',
    path: '/artifact_temporary_files',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Start a file with its first chunk.',
    body: schemas.firstChunk,
    bodyLimit: BODY_BYTES,
    answerHeaders: quotaOf(ports),
    responses: {
      201: {
        description: 'The file so far',
        schema: schemas.temporarySchema,
        links: byItsId('getArtifactTemporaryFilesId', 'putArtifactTemporaryFilesId', 'deleteArtifactTemporaryFilesId'),
      },
    },
    errors: { 409: 'The user has too many temporary files.', 507: 'The storage for files is full.' },
    async handle(request) {
      const { ctx, body, viewer } = request;
      const { name, mimetype: mediaType, description, content: chunk } = body;
      const words = checkedFileMetadata({ name, mediaType, description }, 'mimetype');
      ctx.body = represent(await startUpload(words, chunk, ports, uploader(request)));
      ctx.status = 201;
      ctx.set(await quota(ports)(viewer));
    },
  });

const goOn = (ports: FilePorts): Route<Viewer> =>
  route<Viewer, IdParams, object, schemas.NextChunk>({
    method: 'PUT',
    path: '/artifact_temporary_files/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Add a chunk to a file.',
    params: idParam('file'),
    body: schemas.nextChunk,
    bodyLimit: BODY_BYTES,
    answerHeaders: quotaOf(ports),
    responses: { 200: { description: 'The file so far', schema: schemas.temporarySchema } },
    errors: { 507: 'The storage for files is full.' },
    async handle(request) {
      const { ctx, params, body, viewer } = request;
      const chunk = { number: Number(body.offset), content: body.content };
      ctx.body = represent(await continueUpload(params.id, chunk, ports, uploader(request)));
      ctx.set(await quota(ports)(viewer));
    },
  });

const list = (ports: FilePorts): Route<Viewer> =>
  route<Viewer, object, PageQuery>({
    method: 'GET',
    path: '/artifact_temporary_files',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'List the files of the caller that are not attached.',
    description: 'Files that the caller sent in chunks.',
    query: schemas.uploadsQuery,
    answerHeaders: quotaOf(ports),
    responses: { 200: { description: 'A page of files', schema: listOf(schemas.temporarySchema) } },
    async handle(request) {
      const { ctx, query } = request;
      const { items, ...page } = await ownUploads(uploader(request).userId, query, ports);
      setPage(ctx, { ...query, ...page, max: schemas.UPLOADS_MAX });
      ctx.body = items.map(temporaryFile);
    },
  });

const content = (ports: FilePorts): Route<Viewer> =>
  route<Viewer, IdParams, PageQuery>({
    method: 'GET',
    path: '/artifact_temporary_files/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Get a chunk of a file that is not attached.',
    params: idParam('file'),
    query: schemas.contentQuery,
    answerHeaders: quotaOf(ports),
    responses: { 200: { description: 'The chunk', schema: schemas.chunkSchema } },
    async handle(request) {
      const { ctx, params, query } = request;
      const { limit, offset } = query;
      const { id, size } = await ownUpload(params.id, ports, uploader(request).userId);
      const bytes = await gatheredContent(id, Math.min(offset, size), Math.min(offset + limit, size), ports);
      setPage(ctx, { ...query, total: size, max: schemas.MAX_CHUNK_BYTES });
      ctx.body = { data: bytes.toString('base64') };
    },
  });

const discard = (ports: FilePorts): Route<Viewer> =>
  route<Viewer, IdParams>({
    method: 'DELETE',
    path: '/artifact_temporary_files/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Discard a file that is not attached.',
    params: idParam('file'),
    answerHeaders: quotaOf(ports),
    responses: { 200: { description: 'The file is gone. There is no body.', schema: null } },
    async handle(request) {
      const { ctx, params, viewer } = request;
      await discardUpload(params.id, ports, uploader(request));
      ctx.set(await quota(ports)(viewer));
    },
  });
