/** The process that archives a deleted artifact: the document first, then the fact that it is there. */
import { artifactStream, type ArtifactEvent } from '../artifact-events.js';
import { artifactViews, deletedArtifactViews } from '../artifact-view.js';
import { type ArtifactPorts } from '../ports.js';
import { type BlobStore } from '../../core/blob-store.js';
import { type EventReader, type Recorded, type Revision, type StreamName } from '../../core/event-log.js';
import { foldedStream } from '../../core/folded-streams.js';
import { handle } from '../../core/handle.js';
import { findEvent, streamSlices } from '../../core/stream-slices.js';
import { enqueue } from '../../core/concurrency/keyed-queue.js';
import { projectDecider } from '../../projects/project.js';
import { projectStream } from '../../projects/project-events.js';
import { allFields } from '../../trackers/field-types/definition.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { trackerDecider } from '../../trackers/tracker.js';
import { trackerStream } from '../../trackers/tracker-events.js';
import { type DeletedArtifact } from './archive-document.js';
import { writeArchiveFile } from './archive-file.js';
import { storeAttachments } from './attachment-files.js';
import { attachmentsOf, type Attachment } from './attachments.js';
import { archivingDecider } from './archiving-decider.js';
import { linksAtDeletion } from './links-at-deletion.js';
import { stateAt } from './state-at.js';
import { type Archive } from '../deletions/ports.js';

type Ports = Pick<ArtifactPorts, 'log' | 'readModels' | 'definitions' | 'clock'> & { readonly blobs: BlobStore };

/** One after the other for one artifact, however many ask: the second finds it done. */
export const archiveIn =
  (directory: string, ports: Ports): Archive =>
  (artifactId) =>
    enqueue(ports.log, `archive-${artifactId}`, () => archive(artifactId, directory, ports));

async function archive(artifactId: number, directory: string, ports: Ports): Promise<void> {
  const stream = artifactStream(artifactId);
  const { current } = await foldedStream(ports.log, archivingDecider, stream);
  if (current.state !== 'wanted') return;
  const artifact = await deletedArtifact(stream, ports);
  const { deleted } = artifact;
  const folder = nameOf(deleted);
  const attachments = await storeAttachments(artifact.attachments, { directory, folder }, ports.blobs);
  // With its XML library: few services archive. The start has loaded it where the settings ask for archives.
  const { archiveDocument } = await import('./archive-document.js');
  await writeArchiveFile(directory, `${folder}.xml`, archiveDocument({ ...artifact, attachments }));
  await handle(ports.log, archivingDecider, {
    stream,
    commandId: `archive ${deleted.id}`,
    metadata: { actor: null, at: ports.clock().toISOString() },
    command: () => ({ artifactId, trackerId: deleted.data.trackerId }),
  });
}

/** Of the document, and of the folder with its files, in UTC: deleted_artifact_7_20260301T120000Z */
function nameOf({ data: { artifactId }, metadata: { at } }: DeletedArtifact['deleted']): string {
  return `deleted_artifact_${artifactId}_${at.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** As the log had it at the deletion, whenever it is asked. */
async function deletedArtifact(
  stream: StreamName,
  { log, readModels, definitions }: Ports,
): Promise<Omit<DeletedArtifact, 'attachments'> & { readonly attachments: readonly Attachment[] }> {
  const deleted = await findEvent(log, stream, (event: Recorded<ArtifactEvent>) => event.type === 'ArtifactDeleted');
  if (deleted === undefined) throw new Error('the artifact is not deleted');
  const { artifactId: id, trackerId } = deleted.data;
  const tracker = await stateAt(log, trackerStream(trackerId), trackerDecider, deleted.position);
  const project =
    tracker && (await stateAt(log, projectStream(tracker.state.projectId), projectDecider, deleted.position));
  const view = (await readModels.get(deletedArtifactViews, id)) ?? (await readModels.get(artifactViews, id));
  if (tracker === null || project === null || view === null)
    throw new Error(`what artifact ${id} was is not known yet`);
  const before = () => eventsBefore(deleted.revision, stream, log);
  return {
    deleted,
    events: before(),
    values: await valuesOf(before()),
    linkedFrom: await linksAtDeletion(deleted, log),
    atid: view.atid,
    tracker: { ...tracker.state, id: trackerId, revision: tracker.revision },
    project: project.state,
    attachments: await attachmentsOf(before(), allFields(tracker.state.fields), log, deleted.position),
    usernameOf: (userId) => definitions.user(userId)?.username,
  };
}

async function* eventsBefore(
  end: Revision,
  stream: StreamName,
  log: EventReader,
): AsyncGenerator<readonly Recorded<ArtifactEvent>[], void, void> {
  for await (const events of streamSlices<ArtifactEvent>(log, stream)) {
    yield events.filter(({ revision }) => revision < end);
  }
}

async function valuesOf(slices: DeletedArtifact['events']): Promise<FieldValues> {
  const values: Record<string, FieldValue> = {};
  for await (const events of slices) {
    for (const { data } of events) Object.assign(values, 'values' in data ? data.values : {});
  }
  return values;
}
