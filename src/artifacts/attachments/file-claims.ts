/** How an artifact claims the files of a write before its own event. */
import { type Revision } from '../../core/event-log.js';
import { type Current } from '../../core/folded-streams.js';
import { Problem } from '../../core/problem.js';
import { fileById, handleFile, type ChangedBy } from '../../files/commands.js';
import { type Claim } from '../../files/file-events.js';
import { type File } from '../../files/file.js';
import { type Caller } from '../../authorization/caller.js';
import { type ArtifactPorts } from '../ports.js';
import { type NewFile } from './attachments.js';
import { releaseClaims, type HeldClaim } from './claims.js';

type Ports = Pick<ArtifactPorts, 'log' | 'clock'>;

interface Claimant extends Pick<Claim, 'artifactId' | 'commandId'> {
  /** No other request carries out the command. Others of one Idempotency-Key share it, and may rely on its claims. */
  readonly isOnly: boolean;
}

/** The claims of one command. */
export interface FileClaims {
  /**
   * In the artifact's turn: claims the files, and does what else is done before the event is appended. The first claim
   * of a file wins; throws if another artifact was first. Once this throws, nothing is appended upon the claims.
   */
  readonly take: <T>(files: readonly NewFile[], upon: Revision, more: () => T | Promise<T>) => Promise<T>;
  /**
   * Does the work that takes claims. If the work is refused, they are released at once, or by the recovery if that
   * fails. After any other failure the outcome is unknown, or nothing can be written, and the recovery releases them.
   */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What a command has done so far. */
interface Taking {
  readonly by: Claimant;
  readonly ports: Ports;
  readonly writer: ChangedBy;
  readonly taken: Set<number>;
  /** Those that another command had claimed for the artifact: the append of that command may still rely on its claim. */
  readonly takenOver: Set<number>;
}

export function fileClaims(by: Claimant, ports: Ports, caller: Caller): FileClaims {
  // What is taken is given back whatever the writer may still do, who is asked for with the event of the artifact.
  const writer: ChangedBy = { actor: caller.viewer.user?.id ?? null, requestId: caller.requestId };
  const taking: Taking = { by, ports, writer, taken: new Set(), takenOver: new Set() };
  return {
    take: async (files, upon, more) => {
      const held: HeldClaim[] = [];
      try {
        for (const file of files) held.push(await claimFile(file, upon, taking));
        return await more();
      } catch (error) {
        if (isRefusal(error)) await dropUnused(held, taking).catch(leaveToRecovery);
        throw error;
      }
    },
    during: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (isRefusal(error)) await releaseOwn(taking).catch(leaveToRecovery);
        throw error;
      }
    },
  };
}

async function claimFile({ fileId, fieldId, maxSize }: NewFile, upon: Revision, taking: Taking): Promise<HeldClaim> {
  const { artifactId, commandId } = taking.by;
  const claim = { artifactId, commandId, upon, fieldId };
  const command = ({ state: file }: Current<File | null>) => {
    if (file?.claim && file.claim.commandId !== commandId) taking.takenOver.add(fileId);
    return { type: 'AttachFile', claim, maxSize } as const;
  };
  await handleFile(fileId, command, taking.ports, taking.writer);
  taking.taken.add(fileId);
  return { fileId, claim };
}

/** No append relies on these claims, so the artifact's stream needs no fence. */
async function dropUnused(held: readonly HeldClaim[], { by, ports, writer, takenOver }: Taking): Promise<void> {
  if (!by.isOnly) return;
  for (const { fileId, claim } of held.filter((one) => !takenOver.has(one.fileId))) {
    await handleFile(fileId, { type: 'DetachFile', claim }, ports, writer);
  }
}

/** Those that are left may be of an append whose outcome the stream tells. */
async function releaseOwn({ by, ports, writer, taken }: Taking): Promise<void> {
  const held = await Promise.all(
    [...taken].map(async (fileId) => ({ fileId, claim: (await fileById(fileId, ports))?.claim ?? null })),
  );
  const own = held.flatMap(({ fileId, claim }) => (claim?.commandId === by.commandId ? [{ fileId, claim }] : []));
  await releaseClaims(by.artifactId, own, ports, writer);
}

/** The refusal is what the client has to know. */
const leaveToRecovery = (): void => undefined;

const isRefusal = (error: unknown): boolean => error instanceof Problem && error.kind !== 'unavailable';
