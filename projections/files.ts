import { type ArtifactEvent } from '../src/artifacts/artifact-events.js';
import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import { type FileEvent } from '../src/files/file-events.js';
import {
  chunkId,
  chunkViews,
  discardedFileViews,
  diskUsageViews,
  FILES,
  fileViews,
  type FileView,
} from '../src/files/file-view.js';
import { assertNoRevisionGap } from './revision-gap.js';

/** The files are written last: the others are computed from them, so a batch applied again comes to the same. */
export const files: Projection<FileEvent | ArtifactEvent> = {
  name: FILES,
  version: 5,
  models: [chunkViews.name, discardedFileViews.name, diskUsageViews.name, fileViews.name],
  when: {
    FileUploadStarted: ({ data, metadata, revision }) => {
      const { fileId: id, ...info } = data;
      return [effect(fileViews, id, () => ({ id, revision, ...info, size: 0, claim: null, changedAt: metadata.at }))];
    },

    FileChunkAdded: (event) => {
      const { fileId, owner, number, digest, size } = event.data;
      const id = chunkId(fileId, number);
      return [
        effect(chunkViews, id, (_, lookup) => {
          const from = lookup(fileViews, fileId)?.size ?? 0;
          return { id, file: fileId, from, to: from + size, digest };
        }),
        used(owner, fileId, () => size),
        changed(fileId, event, (file) => ({ size: file.size + size })),
      ];
    },

    FileAttached: (event) => {
      const { fileId, owner, artifactId, fieldId, commandId } = event.data;
      return [
        used(owner, fileId, (file) => (file.claim === null ? -file.size : 0)),
        // An attempt that has lost its race may claim again what the artifact has by then.
        changed(fileId, event, (file) => ({
          claim: { artifactId, fieldId, commandId, settled: file.claim?.settled ?? false },
        })),
      ];
    },

    FileDetached: (event) => {
      const { fileId, owner } = event.data;
      return [used(owner, fileId, (file) => file.size), changed(fileId, event, () => ({ claim: null }))];
    },

    FileDiscarded: (event) => {
      const { fileId, owner, chunks } = event.data;
      return [
        used(owner, fileId, (file) => -file.size),
        effect(discardedFileViews, fileId, () => ({ id: fileId, at: event.metadata.at })),
        effect(fileViews, fileId, (file) => {
          assertNoRevisionGap(file, event, 'file');
          return null;
        }),
        ...Array.from({ length: chunks }, (_, index) => effect(chunkViews, chunkId(fileId, index + 1), () => null)),
      ];
    },

    FileErased: ({ data: { fileId } }) => [effect(discardedFileViews, fileId, () => null)],

    ArtifactSubmitted: settled,
    ArtifactValuesChanged: settled,
  },
};

function changed(fileId: number, event: Recorded<FileEvent>, change: (file: FileView) => Partial<FileView>): Effect {
  return effect(fileViews, fileId, (document) => {
    const file = started(document);
    assertNoRevisionGap(file, event, 'file');
    return { ...file, ...change(file), revision: event.revision, changedAt: event.metadata.at };
  });
}

function started(file: FileView | null): FileView {
  if (file === null) throw new Error('the upload was never started');
  return file;
}

/** What the owner's temporary files take up, from the file as it was before the event. */
function used(owner: number, fileId: number, change: (file: FileView) => number): Effect {
  return effect(diskUsageViews, owner, (usage, lookup) => {
    const file = started(lookup(fileViews, fileId));
    const bytes = (usage?.bytes ?? 0) + (file.expected === null ? change(file) : 0);
    return bytes === 0 ? null : { id: owner, bytes };
  });
}

function settled({ data }: Recorded<Extract<ArtifactEvent, { data: { attachedFiles?: unknown } }>>): readonly Effect[] {
  return (data.attachedFiles ?? []).map((fileId) =>
    effect(fileViews, fileId, (document) => {
      const file = started(document);
      return { ...file, claim: file.claim && { ...file.claim, settled: true } };
    }),
  );
}
