/** Whether some file holds bytes, and the removal of those that none does. */
import { type Digest } from '../core/blob-store.js';
import { Problem } from '../core/problem.js';
import { isFileStream } from './file-events.js';
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
