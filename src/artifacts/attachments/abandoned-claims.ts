/** Claims that a crash left behind. */
import { fold } from '../../core/decider.js';
import { allMatching, isOverdue, type InterruptedWork } from '../../core/recovery/interrupted-work.js';
import { type Criterion } from '../../core/read-models.js';
import { fileStream, type FileEvent } from '../../files/file-events.js';
import { fileDecider } from '../../files/file.js';
import { FILES, fileViews, PENDING_SINCE_KEY, type FileView } from '../../files/file-view.js';
import { type FilePorts } from '../../files/ports.js';
import { artifactStream } from '../artifact-events.js';
import { releaseClaims, type HeldClaim } from './claims.js';

type Ports = Pick<FilePorts, 'log' | 'readModels' | 'clock'>;

/** Claims that their artifact has not made good. Those of one artifact are released together, behind one fence. */
export const abandonedClaims = (ports: Ports): InterruptedWork => ({
  what: 'claims of files',
  projection: FILES,
  find: async (before) => {
    const pending: Criterion = { type: 'range', key: PENDING_SINCE_KEY };
    const byArtifact = new Map<number, FileView[]>();
    for (const file of await allMatching(fileViews, [pending], ports.readModels)) {
      if (file.claim === null || !isOverdue(file.changedAt, before, ports.clock)) continue;
      const { artifactId } = file.claim;
      byArtifact.set(artifactId, [...(byArtifact.get(artifactId) ?? []), file]);
    }
    return [...byArtifact].map(([artifactId, files]) => ({
      id: artifactStream(artifactId),
      resume: () => release(artifactId, files, ports),
    }));
  },
});

async function release(artifactId: number, files: readonly FileView[], ports: Ports): Promise<boolean> {
  const held = await Promise.all(files.map((file) => unchangedClaim(file, ports)));
  return (await releaseClaims(artifactId, held.flat(), ports, null)) > 0;
}

/** Empty if the file has changed since the read model saw it: its claim may be a younger one. */
async function unchangedClaim({ id: fileId, revision }: FileView, { log }: Ports): Promise<readonly HeldClaim[]> {
  const file = await log.read<FileEvent>(fileStream(fileId));
  const claim = fold(fileDecider, file.events)?.claim ?? null;
  return file.revision === revision && claim !== null ? [{ fileId, claim }] : [];
}
