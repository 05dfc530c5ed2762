/** How the claim of a command ends that has not attached the file. */
import { randomUUID } from 'node:crypto';
import { artifactStream, filesAttachedBy, type ArtifactEvent } from '../artifact-events.js';
import { type Decider } from '../../core/decider.js';
import { type EventReader, type Revision } from '../../core/event-log.js';
import { handle } from '../../core/handle.js';
import { streamSlices } from '../../core/stream-slices.js';
import { type Claim } from '../../files/file-events.js';
import { handleFile, type ChangedBy } from '../../files/commands.js';
import { type FilePorts } from '../../files/ports.js';

/** A claim as the file's own stream has it. */
export interface HeldClaim {
  readonly fileId: number;
  readonly claim: Claim;
}

/** The events of an artifact's stream about some claims. */
interface Attached {
  /** Of those that are claimed. */
  readonly files: ReadonlySet<number>;
  readonly isDeleted: boolean;
}

interface Fence {
  readonly artifactId: number;
  readonly files: readonly number[];
}

/** The state has no more files than are claimed: an artifact may have thousands. */
const fenceDecider = (claimed: ReadonlySet<number>): Decider<Attached, Fence, ArtifactEvent> => ({
  initialState: { files: new Set(), isDeleted: false },

  decide: ({ artifactId, files }) =>
    files.length === 0 ? [] : [{ type: 'FileClaimsReleased', data: { artifactId, files } }],

  evolve(attached, event) {
    const more = filesAttachedBy(event).filter((file) => claimed.has(file));
    const files = more.length === 0 ? attached.files : new Set([...attached.files, ...more]);
    return { files, isDeleted: attached.isDeleted || event.type === 'ArtifactDeleted' };
  },
});

/** The files that events of the artifact attach. It may have removed some of them from their fields since. */
export async function attachedFiles(artifactId: number, log: EventReader): Promise<ReadonlySet<number>> {
  const attached = new Set<number>();
  for await (const events of streamSlices<ArtifactEvent>(log, artifactStream(artifactId))) {
    for (const file of events.flatMap(filesAttachedBy)) attached.add(file);
  }
  return attached;
}

/**
 * Releases claims of one artifact that no event of it has made good. The fence makes the append of a command in another
 * process fail. Its next attempt claims anew, and the release of the old claim does not touch that claim. Returns the
 * number of released claims.
 */
export async function releaseClaims(
  artifactId: number,
  held: readonly HeldClaim[],
  ports: Pick<FilePorts, 'log' | 'clock'>,
  by: ChangedBy | null,
): Promise<number> {
  if (held.length === 0) return 0;
  // Not as a new command: that would be kept in place of the artifact's state, which its next command is made for.
  const { state, revision } = await handle(ports.log, fenceDecider(new Set(held.map(idOf))), {
    stream: artifactStream(artifactId),
    commandId: randomUUID(),
    metadata: {
      actor: by?.actor ?? null,
      at: ports.clock().toISOString(),
      ...(by !== null && { requestId: by.requestId }),
    },
    command: (current) => ({ artifactId, files: held.filter((one) => needsFence(one, current)).map(idOf) }),
  });
  let released = 0;
  for (const { fileId, claim } of held.filter((one) => !state.files.has(one.fileId) && isVoid(one, revision))) {
    const { position } = await handleFile(fileId, { type: 'DetachFile', claim }, ports, by);
    if (position !== null) released += 1;
  }
  return released;
}

const idOf = ({ fileId }: HeldClaim): number => fileId;

/** The command may append at the revision where the stream is now. Nothing is appended to a deleted artifact. */
function needsFence(
  { fileId, claim }: HeldClaim,
  { state, revision }: { readonly state: Attached; readonly revision: Revision },
): boolean {
  if (state.files.has(fileId) || state.isDeleted) return false;
  return claim.upon === undefined || claim.upon === revision;
}

const isVoid = ({ claim }: HeldClaim, revision: Revision): boolean => claim.upon === undefined || claim.upon < revision;
