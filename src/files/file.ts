/** A file's life: uploaded piece by piece, then claimed by one artifact for good, or discarded. */
import { type Digest } from '../core/blob-store.js';
import { type Decider } from '../core/decider.js';
import { Problem } from '../core/problem.js';
import { type Chunk, type Claim, type FileEvent, type FileInfo } from './file-events.js';

export type FileCommand =
  | {
      readonly type: 'StartUpload';
      readonly fileId: number;
      readonly info: FileInfo;
      readonly first?: Omit<Chunk, 'number'>;
    }
  | { readonly type: 'AddChunk'; readonly chunk: Chunk }
  /** Of a field that takes files of so many bytes. */
  | { readonly type: 'AttachFile'; readonly claim: Claim; readonly maxSize: number }
  | { readonly type: 'DetachFile'; readonly claim: Claim }
  /** `hasChanged`: since the file was found to be abandoned, so that it is kept. */
  | { readonly type: 'DiscardFile'; readonly hasChanged?: boolean }
  | { readonly type: 'EraseFile' };

export interface File {
  readonly id: number;
  readonly info: FileInfo;
  readonly size: number;
  /** How many have come. */
  readonly chunks: number;
  /** The bytes of the chunk that came last, null before the first. */
  readonly last: Digest | null;
  readonly claim: Claim | null;
  readonly status: 'kept' | 'discarded' | 'erased';
}

/** Many pieces of nearly nothing would make every look at the file slow. */
export const MAX_CHUNKS = 10_000;

/** Throws for one that has all the pieces it may have. To be asked before the bytes of another are stored, too. */
export function refuseFurtherChunk({ chunks }: File): void {
  if (chunks >= MAX_CHUNKS) throw new Problem('invalid', `A file takes at most ${MAX_CHUNKS} chunks`);
}

export const fileDecider: Decider<File | null, FileCommand, FileEvent> = {
  initialState: null,

  decide(command, file) {
    if (command.type === 'StartUpload') return file === null ? started(command) : [];
    if (file === null) throw new Problem('not-found', 'No such file');
    return decided(command, file);
  },

  evolve(file, event) {
    if (event.type === 'FileUploadStarted') {
      const { fileId, ...info } = event.data;
      return { id: fileId, info, size: 0, chunks: 0, last: null, claim: null, status: 'kept' };
    }
    return file && evolved(file, event);
  },
};

function decided(command: Exclude<FileCommand, { type: 'StartUpload' }>, file: File): readonly FileEvent[] {
  switch (command.type) {
    case 'AddChunk':
      return added(command.chunk, file);
    case 'AttachFile':
      return attached(command, file);
    case 'DetachFile':
      return detached(command.claim, file);
    case 'DiscardFile':
      return command.hasChanged === true ? [] : discarded(file);
    case 'EraseFile':
      return file.status === 'discarded' ? [{ type: 'FileErased', data: { fileId: file.id } }] : [];
  }
}

/** All of its bytes have come, as far as a reader can tell. */
export const isComplete = ({ info, size }: Pick<File, 'info' | 'size'>): boolean =>
  info.expected === null || info.expected === size;

/** Neither claimed nor discarded: its owner's alone. */
export const isTemporary = ({ status, claim }: File): boolean => status === 'kept' && claim === null;

/** Claimed for the same field of the same artifact, by any command. */
export const isClaimedFor = (
  { claim }: Pick<File, 'claim'>,
  { artifactId, fieldId }: Omit<Claim, 'commandId'>,
): boolean => claim !== null && claim.artifactId === artifactId && claim.fieldId === fieldId;

const isClaimedBy = (file: File, claim: Claim): boolean =>
  isClaimedFor(file, claim) && file.claim?.commandId === claim.commandId && file.claim.upon === claim.upon;

const identityOf = ({ id, info }: File) => ({ fileId: id, owner: info.owner });

function claimIn({ artifactId, fieldId, commandId, upon }: Claim): Claim {
  return { artifactId, fieldId, commandId, ...(upon !== undefined && { upon }) };
}

function started({ fileId, info, first }: Extract<FileCommand, { type: 'StartUpload' }>): readonly FileEvent[] {
  const { owner } = info;
  return [
    { type: 'FileUploadStarted', data: { fileId, ...info } },
    ...(first ? [{ type: 'FileChunkAdded', data: { fileId, owner, number: 1, ...first } } as const] : []),
  ];
}

function added(chunk: Chunk, file: File): readonly FileEvent[] {
  if (!isTemporary(file)) throw new Problem('not-found', 'No such upload');
  const { expected } = file.info;
  refuseFurtherChunk(file);
  const next = file.chunks + 1;
  if (chunk.number !== next) {
    throw new Problem(
      expected === null ? 'invalid' : 'conflict',
      `Unexpected chunk; the next chunk of this file is number ${next}`,
    );
  }
  if (expected !== null && file.size + chunk.size > expected) {
    throw new Problem('too-large', `The file exceeds its announced size of ${expected} bytes`);
  }
  return [{ type: 'FileChunkAdded', data: { ...identityOf(file), ...chunk } }];
}

/** A later command or attempt for the same field takes over, so that releasing the earlier claim does not undo it. */
function attached({ claim, maxSize }: Extract<FileCommand, { type: 'AttachFile' }>, file: File): readonly FileEvent[] {
  if (isClaimedBy(file, claim)) return [];
  if (!isTemporary(file) && !isClaimedFor(file, claim)) {
    throw new Problem('invalid', `The file ${file.id} is attached to another artifact or field`);
  }
  if (!isComplete(file)) throw new Problem('invalid', `The file ${file.id} has not been uploaded completely`);
  // A chunk may have come since the artifact's values were judged.
  if (file.size > maxSize) throw new Problem('invalid', `The file ${file.id} has more than ${maxSize} bytes`);
  return [{ type: 'FileAttached', data: { ...identityOf(file), ...claim } }];
}

function detached(claim: Claim, file: File): readonly FileEvent[] {
  return isClaimedBy(file, claim) ? [{ type: 'FileDetached', data: { ...identityOf(file), ...claim } }] : [];
}

function discarded(file: File): readonly FileEvent[] {
  if (!isTemporary(file)) return [];
  return [{ type: 'FileDiscarded', data: { ...identityOf(file), chunks: file.chunks } }];
}

function evolved(file: File, { type, data }: Exclude<FileEvent, { type: 'FileUploadStarted' }>): File {
  switch (type) {
    case 'FileChunkAdded':
      return { ...file, size: file.size + data.size, chunks: data.number, last: data.digest };
    case 'FileAttached':
      return { ...file, claim: claimIn(data) };
    case 'FileDetached':
      return { ...file, claim: null };
    case 'FileDiscarded':
      return { ...file, status: 'discarded' };
    case 'FileErased':
      return { ...file, status: 'erased' };
  }
}
