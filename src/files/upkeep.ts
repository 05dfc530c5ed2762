/** What nobody asks for: claims that a crash left behind, uploads that nobody goes on with, bytes that nobody holds. */
import { artifactStream, type ArtifactEvent } from '../artifacts/artifact-events.js';
import { type EventReader } from '../core/event-log.js';
import { type Criterion, type Document, type ReadModel } from '../core/read-models.js';
import { inTurn } from '../core/turns.js';
import { fileStream, type Claim, type FileEvent } from './file.js';
import {
  chunkViews,
  DIGEST_KEY,
  discardedFileViews,
  epochSeconds,
  FILES,
  fileViews,
  OPEN_SINCE_KEY,
  PENDING_SINCE_KEY,
} from './file-view.js';
import { handled, type FilePorts, type Uploader } from './ports.js';

type Ports = Pick<FilePorts, 'log' | 'readModels' | 'blobs' | 'clock'>;

const PAGE = 100;
/** An upload that nobody has gone on with for so long is discarded. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;
/** More than it takes, at the worst, from putting bytes to the event that names them. */
const NAMING_MS = 10 * 60 * 1000;

/** Takes back claims made before an instant of which the artifact's event never came. Resolves to how many. */
export async function detachForgotten(ports: Ports, before: Date): Promise<number> {
  const pending: Criterion = { type: 'range', key: PENDING_SINCE_KEY, to: epochSeconds(before) };
  let detached = 0;
  for await (const { id, claim, changedAt } of each(fileViews, [pending], ports)) {
    if (claim === null || new Date(changedAt) >= before) continue;
    const { artifactId, fieldId, commandId } = claim;
    if (await takeBack(id, { artifactId, fieldId, commandId }, ports, null)) detached += 1;
  }
  return detached;
}

/** Unless the artifact holds the file after all. In the artifact's turn, so that no event of its own is under way. */
export async function takeBack(
  fileId: number,
  claim: Claim,
  ports: Pick<FilePorts, 'log' | 'clock'>,
  by: Uploader | null,
): Promise<boolean> {
  return inTurn(ports.log, artifactStream(claim.artifactId), async () => {
    if (await hasAttached(claim.artifactId, fileId, ports.log)) return false;
    const { position } = await handled(fileId, { type: 'DetachFile', claim }, ports, by);
    return position !== null;
  });
}

/** Whether an event of the artifact says that it claimed the file: it may have lost it from its field since. */
export async function hasAttached(artifactId: number, fileId: number, log: EventReader): Promise<boolean> {
  const { events } = await log.read<ArtifactEvent>(artifactStream(artifactId));
  return events.some(({ data }) => 'attachedFiles' in data && data.attachedFiles.includes(fileId));
}

/** Discards what is abandoned, and erases what was discarded. */
export async function tidyFiles(ports: Ports): Promise<void> {
  await discardAbandoned(ports);
  await eraseDiscarded(ports);
}

async function discardAbandoned(ports: Ports): Promise<void> {
  const since = epochSeconds(new Date(ports.clock().getTime() - ABANDONED_MS));
  for await (const { id } of each(fileViews, [{ type: 'range', key: OPEN_SINCE_KEY, to: since }], ports)) {
    await handled(id, { type: 'DiscardFile' }, ports, null);
  }
}

/** Removes the bytes of discarded files that no other file holds. */
async function eraseDiscarded(ports: Ports): Promise<void> {
  const end = await ports.log.end();
  // What the read models do not show yet may name these bytes.
  if (end === null || !(await ports.readModels.caughtUp(FILES, end))) return;
  const before = new Date(ports.clock().getTime() - NAMING_MS);
  for await (const { id, at } of each(discardedFileViews, [], ports)) {
    if (new Date(at) >= before || !(await eraseBytes(id, before, ports))) continue;
    await handled(id, { type: 'EraseFile' }, ports, null);
  }
}

/** False when somebody has just put some of them again: whether they are named now will be seen later. */
async function eraseBytes(fileId: number, before: Date, { log, readModels, blobs }: Ports): Promise<boolean> {
  const { events } = await log.read<FileEvent>(fileStream(fileId));
  const digests = new Set(events.flatMap(({ type, data }) => (type === 'FileChunkAdded' ? [data.digest] : [])));
  let complete = true;
  for (const digest of digests) {
    const where = [{ type: 'any-of', key: DIGEST_KEY, values: [digest] }] as const;
    const { total } = await readModels.find(chunkViews, { where, direction: 'asc', limit: 0, offset: 0 });
    if (total === 0 && !(await blobs.delete(digest, before))) complete = false;
  }
  return complete;
}

/** What matches now, in pages: what is done to one of them takes none of the others away. */
async function* each<D extends Document>(
  model: ReadModel<D>,
  where: readonly Criterion[],
  { readModels }: Ports,
): AsyncGenerator<D> {
  const ids: D['id'][] = [];
  for (let offset = 0; ids.length === offset; offset += PAGE) {
    const { items } = await readModels.find(model, { where, direction: 'asc', limit: PAGE, offset });
    ids.push(...items.map(({ id }) => id));
  }
  for (let from = 0; from < ids.length; from += PAGE)
    yield* await readModels.getMany(model, ids.slice(from, from + PAGE));
}
