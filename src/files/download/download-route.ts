/** Where `html_url` and `download_href` lead: the bytes of a file as they are, streamed. Outside /api, so apart. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Problem } from '../../core/problem.js';
import { type Viewer } from '../../authorization/viewer.js';
import { type BareRequest, type BareRoute } from '../../http/bare-routes.js';
import { byteRange } from './byte-range.js';
import { downloadDescription } from './download-description.js';
import { attachmentDisposition, contentType } from './file-headers.js';
import { isAsStated, isKnown } from '../../http/etag.js';
import { refuse } from '../../http/problems.js';
import { DOWNLOADS } from '../addresses.js';
import { contentOf } from './content.js';
import { type FileView } from '../file-view.js';
import { type FilePorts } from '../ports.js';
import { visibleFile } from '../queries.js';

export const downloadRoute = (ports: FilePorts): BareRoute<Viewer> => ({
  path: `${DOWNLOADS}/:file`,
  access: 'hybrid',
  headers: { 'Accept-Ranges': 'bytes' },
  methods: { GET: (request) => download(request, ports) },
  described: downloadDescription,
});

/** The name behind the id is for people: it is not compared. */
async function download({ ctx, params, viewer }: BareRequest<Viewer>, ports: FilePorts): Promise<void> {
  const file = await visibleFile(idIn(params['file'] ?? ''), ports, viewer);
  const tag = `"${file.id}-${file.size}"`;
  if (!isAsStated(ctx, tag)) throw new Problem('stale', 'The file is not one that If-Match names');
  if (!isKnown(ctx, tag)) return send(ctx, file, tag, ports);
  ctx.set({ ...headersOf(file), Etag: tag });
  ctx.status = 304;
}

async function send(ctx: BareRequest<Viewer>['ctx'], file: FileView, tag: string, ports: FilePorts): Promise<void> {
  const { id, size } = file;
  const mayBePart = ctx.method === 'GET' && isAskedOf(tag, ctx.get('If-Range'));
  const range = mayBePart ? byteRange(ctx.get('Range'), size) : null;
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${size}`);
    refuse(ctx, 416, `the file has ${size} bytes`);
    return;
  }
  const { from, to } = range ?? { from: 0, to: size };
  const body = Readable.from(contentOf(id, from, to, ports), { objectMode: false });
  await begun(body, ctx);
  ctx.status = range === null ? 200 : 206;
  ctx.set(headersOf(file));
  ctx.set({ Etag: tag, 'Content-Length': String(to - from) });
  if (range !== null) ctx.set('Content-Range', `bytes ${from}-${to - 1}/${size}`);
  ctx.body = body;
}

function idIn(segment: string): number {
  const id = Number(/^([1-9]\d{0,15})-/.exec(segment)?.[1]);
  if (!Number.isSafeInteger(id)) throw new Problem('not-found', 'No such file');
  return id;
}

/** An error of the first bytes is answered as such. Later ones break the connection. HEAD reads nothing. */
async function begun(body: Readable, { method }: Pick<BareRequest<Viewer>['ctx'], 'method'>): Promise<void> {
  if (method !== 'HEAD') await once(body, 'readable');
}

/** Bytes never change once they are there; more may come to a file that is still being uploaded. */
const isAskedOf = (tag: string, ifRange: string): boolean => ifRange === '' || ifRange === tag;

/** Browsers must save all bytes, and run none. */
const headersOf = ({ name, mediaType }: FileView) => ({
  'Content-Type': contentType(mediaType),
  'Content-Disposition': attachmentDisposition(name),
  'Content-Security-Policy': "sandbox; default-src 'none'",
});
