/** Uploads in chunks, each one the body of a request: `artifact_temporary_files`. */
import { type Blob } from '../../core/blob-store.js';
import { MAX_TEMPORARY_FILES } from '../../core/bounds.js';
import { invalidAt, Problem } from '../../core/problem.js';
import { enqueue } from '../../core/concurrency/keyed-queue.js';
import { type FileInfo } from '../file-events.js';
import { isTemporary, refuseFurtherChunk, type File, type FileCommand } from '../file.js';
import { diskUsage, ownUploads } from '../queries.js';
import { MAX_CHUNK_BYTES } from '../schemas.js';
import { abandonUpload, discardFile, fileById, handleFile, hasLastChunk, shown, type Uploader } from '../commands.js';
import { removedIfRefused } from '../held-bytes.js';
import { type FilePorts } from '../ports.js';
import { amongOthers } from './under-way.js';

/** Of all temporary files of one user. */
export const QUOTA_BYTES = 67_108_864;

export async function startUpload(
  words: Pick<FileInfo, 'name' | 'mediaType' | 'description'>,
  content: string,
  ports: FilePorts,
  by: Uploader,
): Promise<File> {
  const bytes = decodedChunk(content);
  const start = async (): Promise<File> => {
    const fileId = await ports.nextFileId();
    const info: FileInfo = { ...words, owner: by.userId, expected: null, fieldId: null };
    const first = await stored(bytes, ports);
    return kept(bytes, first, ports, () => command(fileId, { type: 'StartUpload', fileId, info, first }, ports, by));
  };
  return inUploadQueue(ports, by, async () => {
    await refuseTooMany(ports, by);
    return withinQuota(bytes, ports, by, start);
  });
}

/** As the read models show them: some more that other processes take at the same time do no harm. */
async function refuseTooMany(ports: FilePorts, { userId }: Uploader): Promise<void> {
  const { total } = await ownUploads(userId, { limit: 0, offset: 0 }, ports);
  if (total < MAX_TEMPORARY_FILES) return;
  throw new Problem(
    'conflict',
    `A user has at most ${MAX_TEMPORARY_FILES} temporary files: attach or remove some first`,
  );
}

/** `number`: of the chunk, from 2. */
export async function continueUpload(
  fileId: number,
  { number, content }: { readonly number: number; readonly content: string },
  ports: FilePorts,
  by: Uploader,
): Promise<File> {
  await ownUpload(fileId, ports, by.userId);
  const bytes = decodedChunk(content);
  return inUploadQueue(ports, by, async () => {
    const file = await ownUpload(fileId, ports, by.userId);
    refuseFurtherChunk(file);
    const next = file.chunks + 1;
    if (number !== next) throw invalidAt('/offset', `is the number of the next chunk, ${next}`);
    if (!(await hasLastChunk(file, ports))) return abandonUpload(fileId, ports, by);
    return withinQuota(bytes, ports, by, async () => {
      const blob = await stored(bytes, ports);
      const chunk = { number, ...blob };
      return kept(bytes, blob, ports, () => command(fileId, { type: 'AddChunk', chunk }, ports, by));
    });
  });
}

export async function discardUpload(fileId: number, ports: FilePorts, by: Uploader): Promise<void> {
  await inUploadQueue(ports, by, async () => {
    await ownUpload(fileId, ports, by.userId);
    if (!(await discardFile(fileId, ports, by))) throw notFound();
  });
}

/** Throws unless it is a temporary file of this user. */
export async function ownUpload(fileId: number, ports: Pick<FilePorts, 'log'>, userId: number): Promise<File> {
  const file = await fileById(fileId, ports);
  if (file === null || !isTemporary(file) || file.info.expected !== null) {
    throw notFound();
  }
  // The status of the platform whose clients these routes serve.
  if (file.info.owner !== userId) throw new Problem('unauthenticated', 'This temporary file is not yours');
  return file;
}

const notFound = (): Problem => new Problem('not-found', 'No such temporary file');

const SPACE = /[\t\n\r ]/;
const SPACES: ReadonlySet<number> = new Set(Buffer.from('\t\n\r '));
const BASE64 = /^([A-Za-z0-9+/]*)(={0,2})$/;

/** Line breaks in it are fine, and so is padding that was left out. */
function decodedChunk(content: string): Buffer {
  const [text, digits, padding] = BASE64.exec(withoutSpace(content)) ?? [];
  const isWhole = padding === '' ? Number(digits?.length) % 4 !== 1 : Number(text?.length) % 4 === 0;
  if (text === undefined || !isWhole) throw invalidAt('/content', 'is not valid Base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > MAX_CHUNK_BYTES) throw invalidAt('/content', `holds more than ${MAX_CHUNK_BYTES} bytes`);
  return bytes;
}

/** In one pass, where expressions take 80 ms for a million of spaces. Characters that are not of ASCII stay wrong. */
function withoutSpace(content: string): string {
  if (!SPACE.test(content)) return content;
  const bytes = Buffer.from(content);
  let kept = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (!SPACES.has(byte)) bytes[kept++] = byte;
  }
  return bytes.toString('latin1', 0, kept);
}

/** So that uploads of one user at the same time cannot each believe to be within the quota. */
const inUploadQueue = <T>({ blobs }: FilePorts, { userId }: Uploader, work: () => Promise<T>): Promise<T> =>
  enqueue(blobs, `uploads-${userId}`, work);

/** Does the work once the chunks that other processes take of this user right now leave room for this one, too. */
function withinQuota<T>(
  { length }: Buffer,
  ports: FilePorts,
  { userId }: Uploader,
  work: () => Promise<T>,
): Promise<T> {
  return amongOthers(`chunks under way of ${userId}`, ports, async (others) => {
    const usage = (await diskUsage(userId, ports)) + length;
    if (usage > QUOTA_BYTES) throw beyondQuota();
    return usage + others * MAX_CHUNK_BYTES <= QUOTA_BYTES ? work() : null;
  });
}

const beyondQuota = (): Problem =>
  new Problem('invalid', `Your temporary files would take more than ${QUOTA_BYTES} bytes; remove some first`);

function stored(bytes: Buffer, { blobs }: Pick<FilePorts, 'blobs'>): Promise<Blob> {
  return blobs.put(only(bytes));
}

/** If naming the bytes is refused, they are removed. If they were erased because it has taken long, they are stored again. */
async function kept(
  bytes: Buffer,
  { digest }: Pick<Blob, 'digest'>,
  ports: FilePorts,
  name: () => Promise<File>,
): Promise<File> {
  const file = await removedIfRefused(digest, ports, name);
  if (!(await ports.blobs.keep(digest))) await stored(bytes, ports);
  return file;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

async function command(fileId: number, given: FileCommand, ports: FilePorts, by: Uploader): Promise<File> {
  const { state, position } = await handleFile(fileId, given, ports, by);
  await shown(position, ports);
  if (state === null) throw new Error(`The file ${fileId} was written and is not there`);
  return state;
}
