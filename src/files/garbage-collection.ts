/** Removes uploads without progress, and bytes without a file. */
import { epochSeconds } from '../core/clock.js';
import { type Current } from '../core/folded-streams.js';
import { allMatching, isOverdue, type InterruptedWork } from '../core/recovery/interrupted-work.js';
import { fileStream, type FileEvent } from './file-events.js';
import { discardedFileViews, FILES, fileViews, OPEN_SINCE_KEY, type FileView } from './file-view.js';
import { handleFile } from './commands.js';
import { removeUnlessHeld } from './held-bytes.js';
import { type FilePorts } from './ports.js';

type Ports = Pick<FilePorts, 'log' | 'readModels' | 'blobs' | 'clock' | 'attachedFiles'>;

/** An upload without progress for this long is discarded. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;
/** More than it takes, at the worst, from putting bytes to the event that names them. */
const NAMING_MS = 10 * 60 * 1000;

/** Uploads that no client has continued for a day. */
export const abandonedUploads = (ports: Ports): InterruptedWork => ({
  what: 'abandoned uploads',
  projection: FILES,
  find: async () => {
    const to = epochSeconds(new Date(ports.clock().getTime() - ABANDONED_MS));
    const open = await allMatching(fileViews, [{ type: 'range', key: OPEN_SINCE_KEY, to }], ports.readModels);
    return open.map((file) => ({ id: fileStream(file.id), resume: () => discard(file, ports) }));
  },
});

async function discard({ id, revision }: FileView, ports: Ports): Promise<boolean> {
  const { events } = await ports.log.read<FileEvent>(fileStream(id));
  if (await isAttached(id, events, ports)) return false;
  // The read model may be behind: only the revision that is a day old is discarded.
  const command = (current: Current<unknown>) =>
    ({ type: 'DiscardFile', hasChanged: current.revision !== revision }) as const;
  return (await handleFile(id, command, ports, null)).position !== null;
}

/** Discarded files, once no upload can be about to name their bytes. The bytes that no other file holds are erased. */
export const discardedFiles = (ports: Ports): InterruptedWork => ({
  what: 'discarded files',
  projection: FILES,
  find: async () => {
    const before = new Date(ports.clock().getTime() - NAMING_MS);
    const discarded = await allMatching(discardedFileViews, [], ports.readModels);
    return discarded
      .filter(({ at }) => isOverdue(at, before, ports.clock))
      .map(({ id }) => ({ id: fileStream(id), resume: () => erase(id, before, ports) }));
  },
});

async function erase(id: number, before: Date, ports: Ports): Promise<boolean> {
  if (!(await eraseBytes(id, before, ports))) return false;
  return (await handleFile(id, { type: 'EraseFile' }, ports, null)).position !== null;
}

/** False if some of the bytes were just put again; a later round checks these. */
async function eraseBytes(fileId: number, before: Date, ports: Ports): Promise<boolean> {
  const { events } = await ports.log.read<FileEvent>(fileStream(fileId));
  if (await isAttached(fileId, events, ports)) return false;
  const digests = new Set(events.flatMap(({ type, data }) => (type === 'FileChunkAdded' ? [data.digest] : [])));
  let complete = true;
  for (const digest of digests) {
    if (!(await removeUnlessHeld(digest, before, ports))) complete = false;
  }
  return complete;
}

/** Whether an event of any artifact attaches the file. Only an artifact that has claimed the file can. */
async function isAttached(
  fileId: number,
  events: readonly FileEvent[],
  { attachedFiles }: Pick<Ports, 'attachedFiles'>,
): Promise<boolean> {
  const artifacts = new Set(events.flatMap(({ type, data }) => (type === 'FileAttached' ? [data.artifactId] : [])));
  for (const artifactId of artifacts) if ((await attachedFiles(artifactId)).has(fileId)) return true;
  return false;
}
