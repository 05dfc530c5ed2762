import { type ArtifactEvent } from '../src/artifacts/artifact-events.js';
import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import { type FileEvent } from '../src/files/file.js';
import {
  chunkId,
  chunkViews,
  discardedFileViews,
  diskUsageViews,
  FILES,
  fileViews,
  type FileView,
} from '../src/files/file-view.js';

/** The files are written last: the others are computed from them, so a batch applied again comes to the same. */
export const files: Projection<FileEvent | ArtifactEvent> = {
  name: FILES,
  version: 1,
  models: [chunkViews.name, discardedFileViews.name, diskUsageViews.name, fileViews.name],
  when: {
    FileUploadStarted: ({ data, metadata }) => {
      const { fileId: id, ...info } = data;
      return [effect(fileViews, id, () => ({ id, ...info, size: 0, claim: null, changedAt: metadata.at }))];
    },

    FileChunkAdded: ({ data: { fileId, owner, number, digest, size }, metadata }) => {
      const id = chunkId(fileId, number);
      return [
        effect(chunkViews, id, (_, lookup) => {
          const from = lookup(fileViews, fileId)?.size ?? 0;
          return { id, file: fileId, from, to: from + size, digest };
        }),
        used(owner, fileId, () => size),
        effect(fileViews, fileId, (file) => ({
          ...started(file),
          size: started(file).size + size,
          changedAt: metadata.at,
        })),
      ];
    },

    FileAttached: ({ data, metadata }) => {
      const { fileId, owner, artifactId, fieldId, commandId } = data;
      const claim = { artifactId, fieldId, commandId, settled: false };
      return [
        used(owner, fileId, (file) => (file.claim === null ? -file.size : 0)),
        effect(fileViews, fileId, (file) => ({ ...started(file), claim, changedAt: metadata.at })),
      ];
    },

    FileDetached: ({ data: { fileId, owner }, metadata }) => [
      used(owner, fileId, (file) => file.size),
      effect(fileViews, fileId, (file) => ({ ...started(file), claim: null, changedAt: metadata.at })),
    ],

    FileDiscarded: ({ data: { fileId, owner, chunks }, metadata }) => [
      used(owner, fileId, (file) => -file.size),
      effect(discardedFileViews, fileId, () => ({ id: fileId, at: metadata.at })),
      effect(fileViews, fileId, () => null),
      ...Array.from({ length: chunks }, (_, index) => effect(chunkViews, chunkId(fileId, index + 1), () => null)),
    ],

    FileErased: ({ data: { fileId } }) => [effect(discardedFileViews, fileId, () => null)],

    ArtifactSubmitted: settled,
    ArtifactValuesChanged: settled,
  },
};

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
