/** Whether some file holds bytes, and the removal of those that none does. */
import { type Digest } from '../core/blob-store.js';
import { NO_STREAM, type EventLog } from '../core/event-log.js';
import { LAST_BUILT_IN_ID, lastReservedId } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { FILE_IDS, fileStream, isFileStream, type FileEvent } from './file-events.js';
import { chunkViews, DIGEST_KEY, FILES } from './file-view.js';
import { type FilePorts } from './ports.js';

type Ports = Pick<FilePorts, 'log' | 'readModels' | 'blobs'>;

/** Unless some file holds the bytes. False if some of them were put since, or if it is not known: a later call may succeed. */
export async function removeUnlessHeld(digest: Digest, before: Date, ports: Ports): Promise<boolean> {
  if ((await holdsOf(digest, ports)) === 'some') return true;
  const isHeld = async () => (await holdsOf(digest, ports)) !== 'none';
  return ports.blobs.delete(digest, before, isHeld);
}

/** Removes bytes that were just put if the event that is to name them is refused. */
export async function removedIfRefused<T>(
  digest: Digest,
  ports: Ports & Pick<FilePorts, 'clock'>,
  name: () => Promise<T>,
): Promise<T> {
  // Another upload that has put the same bytes later keeps them.
  const afterPut = new Date(ports.clock().getTime() + 1);
  try {
    return await name();
  } catch (error) {
    // Of an append without an answer, the event may be there.
    const isRefused = error instanceof Problem && error.kind !== 'unavailable';
    // The refusal is answered all the same.
    if (isRefused) await removeUnlessHeld(digest, afterPut, ports).catch(() => false);
    throw error;
  }
}

/** Whether some file that is not discarded has these bytes, by all that the log holds now. */
async function holdsOf(digest: Digest, { log, readModels }: Ports): Promise<'some' | 'none' | 'unknown'> {
  const end = await log.end();
  if (end === null || !(await readModels.caughtUp(FILES, end))) return 'unknown';
  const where = [{ type: 'any-of', key: DIGEST_KEY, values: [digest] }] as const;
  const { total } = await readModels.find(chunkViews, { where, direction: 'asc', limit: 0, offset: 0 });
  if (total > 0) return 'some';
  // What a stream names that a newer release wrote, no read model of this one shows.
  return [...readModels.marks(chunkViews.name).keys()].some(isFileStream) ? 'unknown' : 'none';
}

/** Its upload begins a stream, its first bytes come next. */
const FIRST_EVENTS = 2;
const BYTES_CAME: FileEvent['type'] = 'FileChunkAdded';
const BYTES_WENT: FileEvent['type'] = 'FileErased';

/** Whether bytes of any file have come, and were not erased, by the log alone: for a start, where read models may be behind. */
export async function namesBytes(log: Pick<EventLog, 'read' | 'places'>): Promise<boolean> {
  const last = await lastReservedId(log, FILE_IDS);
  for (let id = LAST_BUILT_IN_ID + 1; id <= last; id += 1) {
    const first = await log.places(fileStream(id), NO_STREAM, FIRST_EVENTS);
    if (first.some(({ type }) => type === BYTES_CAME) && !(await isErased(id, log))) return true;
  }
  return false;
}

async function isErased(id: number, log: Pick<EventLog, 'read'>): Promise<boolean> {
  const { events } = await log.read<FileEvent>(fileStream(id), { last: 1 });
  return events.at(-1)?.type === BYTES_WENT;
}
