/** Where `upload_href` leads: the resumable upload protocol tus 1.0, its core and the extension termination. */
import { invalidAt, Problem } from '../../core/problem.js';
import { type Viewer } from '../../authorization/viewer.js';
import { type BareRequest, type BareRoute } from '../../http/bare-routes.js';
import { refuse } from '../../http/problems.js';
import { UPLOADS } from '../addresses.js';
import { type File } from '../file.js';
import { uploaderOf, type Uploader } from '../commands.js';
import { PIECE_TYPE, TUS_HEADERS, TUS_VERSION, tusDescription } from './tus-description.js';
import { type TusUploads } from './tus-upload.js';

type Handle = (request: BareRequest<Viewer>, id: number, by: Uploader) => Promise<void>;

export const tusRoute = (uploads: TusUploads): BareRoute<Viewer> => {
  const handled = (handle: Handle) => (request: BareRequest<Viewer>) => whenUnderstood(request, handle);
  return {
    path: `${UPLOADS}/:id`,
    access: 'protected',
    headers: TUS_HEADERS,
    described: tusDescription,
    methods: {
      HEAD: handled(async ({ ctx }, id, { userId }) => {
        const file = await uploads.find(id, userId);
        ctx.set('Upload-Length', String(file.info.expected));
        ctx.set('Upload-Offset', String(file.size));
      }),
      PATCH: handled((request, id, by) => patch(request, id, by, uploads)),
      DELETE: handled(async ({ ctx }, id, by) => {
        await uploads.discard(id, by);
        ctx.status = 204;
      }),
    },
  };
};

async function whenUnderstood(request: BareRequest<Viewer>, handle: Handle): Promise<void> {
  const { ctx, params, viewer } = request;
  if (ctx.get('Tus-Resumable') !== TUS_VERSION) {
    refuse(ctx, 412, `Unsupported Tus-Resumable; use ${TUS_VERSION}`);
    return;
  }
  const id = Number(/^[1-9]\d{0,15}$/.exec(params['id'] ?? '')?.[0]);
  if (!Number.isSafeInteger(id)) throw new Problem('not-found', 'No such upload');
  await handle(request, id, uploaderOf({ viewer, requestId: ctx.state.requestId }));
}

async function patch(request: BareRequest<Viewer>, id: number, by: Uploader, uploads: TusUploads): Promise<void> {
  const { ctx, stillAllowed } = request;
  if (ctx.get('Content-Type').trim().toLowerCase() !== PIECE_TYPE) {
    throw new Problem('unsupported', `Unsupported Content-Type; send ${PIECE_TYPE}`);
  }
  if (!['', 'identity'].includes(ctx.get('Content-Encoding').trim().toLowerCase())) {
    throw new Problem('unsupported', 'Unsupported Content-Encoding; send the bytes of the file as they are');
  }
  const given = ctx.get('Upload-Offset');
  if (!/^\d{1,15}$/.test(given)) throw invalidAt('Upload-Offset', 'must be a number of bytes');
  const offset = Number(given);
  refuseTooMuch(await uploads.find(id, by.userId), offset, Number(ctx.get('Content-Length')));
  const { size } = await uploads.receive(id, { offset, source: ctx.req, stillAllowed }, by);
  ctx.set('Upload-Offset', String(size));
  ctx.status = 204;
}

/** Before any of it is read. */
function refuseTooMuch({ info, size }: File, offset: number, length: number): void {
  if (offset !== size || length <= (info.expected ?? 0) - size) return;
  throw new Problem('too-large', `${(info.expected ?? 0) - size} bytes are left of this upload`);
}
