/** The links that led to an artifact at the position of its deletion, for its archive. */
import { turnTaking } from '../../core/concurrency/others-turn.js';
import { type EventReader, type Recorded } from '../../core/event-log.js';
import { artifactDecider } from '../artifact.js';
import { artifactEventTypes, artifactStream, type ArtifactEvent, type ToArchive } from '../artifact-events.js';
import { deletionsStream, type DeletionEvent } from '../deletions/deletion-count-events.js';
import { boundedLinks, leadingTo } from '../deletions/linked-from.js';
import { valuesIn } from '../history/entries.js';
import { type DeletedArtifact } from './archive-document.js';
import { stateAt } from './state-at.js';

type Deleted = DeletedArtifact['deleted'];

/**
 * The event names the links that were read after the deletion was counted. The sources that changed between this count
 * and the event are read again, up to the event.
 */
export async function linksAtDeletion(deleted: Deleted, log: EventReader): Promise<ToArchive> {
  const { artifactId, toArchive = { linkedFrom: [] } } = deleted.data;
  const changed = await changedSources(deleted, toArchive, log);
  if (changed.size === 0) return toArchive;
  const links = toArchive.linkedFrom.filter(({ id }) => !changed.has(id));
  const turn = turnTaking();
  for (const id of changed) {
    await turn();
    const source = await stateAt(log, artifactStream(id), artifactDecider, deleted.position);
    if (source?.state.deleted === false) links.push(...leadingTo(artifactId, source.state));
  }
  links.sort((a, b) => a.id - b.id);
  const bounded = boundedLinks(links, new Set(links.map(({ id }) => id)).size);
  const { linkedFromTotal = bounded.linkedFromTotal } = toArchive;
  return { linkedFrom: bounded.linkedFrom, ...(linkedFromTotal !== undefined && { linkedFromTotal }) };
}

/** Those that link to the artifact by then, or are named. Where not all are named, only up to the last that is. */
async function changedSources(
  deleted: Deleted,
  { linkedFrom, linkedFromTotal }: ToArchive,
  log: EventReader,
): Promise<ReadonlySet<number>> {
  const { artifactId: target } = deleted.data;
  const named = new Set(linkedFrom.map(({ id }) => id));
  const last = linkedFromTotal === undefined ? Infinity : (linkedFrom.at(-1)?.id ?? 0);
  const changed = new Set<number>();
  const turn = turnTaking();
  for await (const event of artifactEventsSinceCount(deleted, log)) {
    await turn();
    const { artifactId: id } = event.data;
    if (id <= last && (named.has(id) || leadingTo(target, { id, values: valuesIn(event) }).length > 0)) changed.add(id);
  }
  return changed;
}

async function* artifactEventsSinceCount(deleted: Deleted, log: EventReader): AsyncGenerator<Recorded<ArtifactEvent>> {
  const count = await countOf(deleted, log);
  if (count === undefined) return;
  for await (const { events, position } of log.readAll(count.position, [])) {
    yield* events.filter(isOfArtifact).filter((event) => event.position < deleted.position);
    if (position >= deleted.position) return;
  }
}

const isOfArtifact = (event: Recorded): event is Recorded<ArtifactEvent> =>
  Object.hasOwn(artifactEventTypes, event.type);

/** The count is one of the user's last ones, unless the deletion was interrupted. So many are left of a shortened stream. */
const LATEST = 10;

/** Undefined if the count is older. */
async function countOf({ metadata }: Deleted, log: EventReader): Promise<Recorded | undefined> {
  if (metadata.actor === null) return undefined;
  const { events } = await log.read<DeletionEvent>(deletionsStream(metadata.actor), { last: LATEST });
  return events.find(({ type, data }) => type === 'DeletionCounted' && data.deletionId === metadata.commandId);
}
