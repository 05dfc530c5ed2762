/** Uploads of any size that go on where they were cut off: announced for one field, then sent by the protocol tus. */
import { exceeds, MAX_PROMISED_BYTES, MAX_RESUMABLE_UPLOADS } from '../../core/bounds.js';
import { type Position } from '../../core/event-log.js';
import { allMatching } from '../../core/recovery/interrupted-work.js';
import { invalidAt, Problem } from '../../core/problem.js';
import { enqueue } from '../../core/concurrency/keyed-queue.js';
import { fileStream, type FileInfo } from '../file-events.js';
import { isTemporary, refuseFurtherChunk, type File } from '../file.js';
import { ANNOUNCED_KEY, announcement, fileViews, RESUMABLE_KEY } from '../file-view.js';
import { abandonUpload, discardFile, fileById, handleFile, hasLastChunk, shown, type Uploader } from '../commands.js';
import { removedIfRefused } from '../held-bytes.js';
import { type FilePorts } from '../ports.js';
import { amongOthers } from './under-way.js';

/** A crash loses no more of an upload than this. */
const PIECE_BYTES = 16_777_216;

/** The body of a request; `destroy` ends it early. */
interface Source {
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined>;
  destroy(): unknown;
}

interface Sent {
  readonly source: Source;
  /** Throws if the bytes that have come since the last call must not be kept. */
  readonly stillAllowed: () => Promise<unknown>;
}

export interface TusUploads {
  /** The same announcement finds the upload that goes on. */
  announce(info: FileInfo, by: Uploader): Promise<number>;
  /** Throws unless it is an upload of this user's. */
  find(fileId: number, userId: number): Promise<File>;
  /** Keeps all that comes, also of a body that is cut off. A later body for the same file ends an earlier one. */
  receive(fileId: number, body: Sent & { readonly offset: number }, by: Uploader): Promise<File>;
  discard(fileId: number, by: Uploader): Promise<void>;
}

export function tusUploads(ports: FilePorts): TusUploads {
  const sources = new Map<number, Source>();
  const find = (fileId: number, userId: number): Promise<File> => ownUpload(fileId, ports, userId);
  return {
    find,

    announce: (info, by) =>
      enqueue(ports.blobs, `announcements-${by.userId}`, () =>
        amongOthers(`announcements under way of ${by.userId}`, ports, async (others) => {
          const known = await announced(info, ports);
          if (known !== undefined) return known;
          return others === 0 ? started(info, ports, by) : null;
        }),
      ),

    receive: (fileId, body, by) => {
      const { offset, source } = body;
      sources.get(fileId)?.destroy();
      sources.set(fileId, source);
      return enqueue(ports.blobs, fileStream(fileId), async () => {
        try {
          const file = await find(fileId, by.userId);
          if (offset !== file.size)
            throw new Problem('conflict', `Wrong Upload-Offset; the upload stands at ${file.size}`);
          return await received(file, body, ports, by);
        } finally {
          if (sources.get(fileId) === source) sources.delete(fileId);
        }
      });
    },

    discard: async (fileId, by) => {
      await find(fileId, by.userId);
      sources.get(fileId)?.destroy();
      await enqueue(ports.blobs, fileStream(fileId), async () => {
        await find(fileId, by.userId);
        if (!(await discardFile(fileId, ports, by))) throw notFound();
      });
    },
  };
}

async function ownUpload(fileId: number, ports: FilePorts, userId: number): Promise<File> {
  const file = await fileById(fileId, ports);
  if (file === null || !isTemporary(file) || file.info.expected === null || file.info.owner !== userId) {
    throw notFound();
  }
  return file;
}

const notFound = (): Problem => new Problem('not-found', 'No such upload');

async function started(info: FileInfo, ports: FilePorts, by: Uploader): Promise<number> {
  await refuseTooMuch(info, ports);
  const fileId = await ports.nextFileId();
  const { position } = await handleFile(fileId, { type: 'StartUpload', fileId, info }, ports, by);
  await shown(position, ports);
  return fileId;
}

async function announced(info: FileInfo, { readModels }: FilePorts): Promise<number | undefined> {
  const where = [{ type: 'any-of', key: ANNOUNCED_KEY, values: [announcement(info)] }] as const;
  const { items } = await readModels.find(fileViews, { where, direction: 'asc', limit: 1, offset: 0 });
  return items[0]?.id;
}

async function refuseTooMuch({ owner, expected }: FileInfo, ports: FilePorts): Promise<void> {
  const open = await openUploads(owner, ports);
  if (open.count >= MAX_RESUMABLE_UPLOADS) {
    const most = `A user has at most ${MAX_RESUMABLE_UPLOADS} resumable uploads`;
    throw new Problem('conflict', `${most}: attach or discard some first`);
  }
  if (open.promised === 0 || !exceeds(MAX_PROMISED_BYTES, open.promised + (expected ?? 0), open.promised)) return;
  const most = `${MAX_PROMISED_BYTES} bytes: attach or discard some first`;
  throw invalidAt('/file_size', `would make your resumable uploads more than ${most}`);
}

async function openUploads(owner: number, { readModels }: FilePorts): Promise<{ count: number; promised: number }> {
  const open = await allMatching(fileViews, [{ type: 'any-of', key: RESUMABLE_KEY, values: [owner] }], readModels);
  return { count: open.length, promised: open.reduce((sum, { expected }) => sum + (expected ?? 0), 0) };
}

/** Piece by piece: each is on the disk before its event. */
async function received(file: File, sent: Sent, ports: FilePorts, by: Uploader): Promise<File> {
  const bytes = readable(sent);
  try {
    return await stored(file, bytes, ports, by);
  } finally {
    // What is left of a body that is refused would be taken for the next request on its connection.
    void drained(bytes);
  }
}

async function stored(file: File, bytes: Readable, ports: FilePorts, by: Uploader): Promise<File> {
  let current = file;
  let last: Position | null = null;
  if (!(await hasLastChunk(file, ports))) return abandonUpload(file.id, ports, by);
  for (let first = await bytes.next(); first !== undefined; first = await bytes.next()) {
    refuseFurtherChunk(current);
    const room = (current.info.expected ?? 0) - current.size;
    const blob = await ports.blobs.put(piece(first, bytes, room));
    const chunk = { number: current.chunks + 1, ...blob };
    const { id } = current;
    const { state, position } = await removedIfRefused(blob.digest, ports, async () => {
      await bytes.stillAllowed();
      return handleFile(id, { type: 'AddChunk', chunk }, ports, by);
    });
    if (!(await ports.blobs.keep(blob.digest))) return abandonUpload(id, ports, by);
    current = state ?? current;
    last = position ?? last;
  }
  await shown(last, ports);
  if (bytes.isCutOff()) throw new Problem('invalid', `The body was cut off; the upload stands at ${current.size}`);
  return current;
}

async function drained(bytes: Readable): Promise<void> {
  while ((await bytes.next()) !== undefined);
}

interface Readable extends Pick<Sent, 'stillAllowed'> {
  /** Undefined at the end, and when the body was cut off. */
  next(): Promise<Uint8Array | undefined>;
  isCutOff(): boolean;
}

/** Does not end the request when the reading stops early, so that it can still be answered. */
function readable({ source, stillAllowed }: Sent): Readable {
  const iterator = source[Symbol.asyncIterator]();
  let cutOff = false;
  return {
    stillAllowed,
    next: async () => {
      try {
        return cutOff ? undefined : (await iterator.next()).value;
      } catch {
        cutOff = true;
        return undefined;
      }
    },
    isCutOff: () => cutOff,
  };
}

async function* piece(first: Uint8Array, bytes: Readable, room: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for (let chunk: Uint8Array | undefined = first; chunk !== undefined;) {
    size += chunk.byteLength;
    if (size > room) throw new Problem('too-large', 'The body exceeds the announced size of the upload');
    yield chunk;
    chunk = size < PIECE_BYTES ? await bytes.next() : undefined;
  }
}
