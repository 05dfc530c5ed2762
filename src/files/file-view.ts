import { createHash } from 'node:crypto';
import { type Digest } from '../core/blob-store.js';
import { epochSeconds } from '../core/clock.js';
import { type Revision } from '../core/event-log.js';
import { type Document, type IndexEntry, type ReadModel } from '../core/read-models.js';
import { type Claim, type FileInfo } from './file-events.js';
import { isComplete } from './file.js';

export interface FileView extends Document, FileInfo {
  readonly id: number;
  readonly revision: Revision;
  /** Bytes that have come. */
  readonly size: number;
  readonly claim: ClaimView | null;
  /** UTC instant of its last event. */
  readonly changedAt: string;
}

interface ClaimView extends Claim {
  /** The artifact's event is there. Until then the file is still its owner's alone. */
  readonly settled: boolean;
}

export const FILES = 'files';

/** Owner of a file that came in chunks and is not attached. */
export const TEMPORARY_KEY = 'temporary';
/** Owner of a resumable upload that is not attached, whether it goes on or not. */
export const RESUMABLE_KEY = 'resumable';
/** Of a file that is not attached: when it was last changed, in seconds since 1970. */
export const OPEN_SINCE_KEY = 'open-since';
/** Of a claim that is not settled: since when. */
export const PENDING_SINCE_KEY = 'pending-since';
/** Of an attached file: its artifact. */
export const OF_ARTIFACT_KEY = 'artifact';
/** Its name and its description, by the field that it is attached to. */
export const fileTextKey = (fieldId: number): string => `text.${fieldId}`;
/** Of a resumable upload that goes on: `announcement`. */
export const ANNOUNCED_KEY = 'announced';

export const fileViews: ReadModel<FileView> = {
  name: FILES,
  stamped: {},
  entries: (file) => (file.claim === null ? openEntries(file) : attachedEntries(file, file.claim)),
};

function openEntries(file: FileView): readonly IndexEntry[] {
  const { owner, expected, size, changedAt } = file;
  const goesOn = expected !== null && (expected === 0 || !isComplete({ info: file, size }));
  return [
    { key: OPEN_SINCE_KEY, value: epochSeconds(changedAt) },
    { key: expected === null ? TEMPORARY_KEY : RESUMABLE_KEY, value: owner },
    ...(goesOn ? [{ key: ANNOUNCED_KEY, value: announcement(file) }] : []),
  ];
}

function attachedEntries(
  { name, description, changedAt }: FileView,
  { artifactId, fieldId, settled }: ClaimView,
): readonly IndexEntry[] {
  const texts = [name, description].filter((text) => text !== '');
  return [
    ...(settled ? [] : [{ key: PENDING_SINCE_KEY, value: epochSeconds(changedAt) }]),
    { key: OF_ARTIFACT_KEY, value: artifactId, unordered: true },
    ...texts.map((text) => ({ key: fileTextKey(fieldId), text })),
  ];
}

/** The same for uploads that were announced with the same words by the same user. */
export function announcement({ owner, fieldId, name, mediaType, description, expected }: FileInfo): string {
  const words = JSON.stringify([owner, fieldId, name, mediaType, description, expected]);
  return createHash('sha256').update(words).digest('hex');
}

/** One piece of a file: the bytes from `from` up to `to`, that one excluded. */
export interface ChunkView extends Document {
  readonly id: string;
  readonly file: number;
  readonly from: number;
  readonly to: number;
  readonly digest: Digest;
}

export const FILE_KEY = 'file';
export const FROM_KEY = 'from';
export const TO_KEY = 'to';
export const DIGEST_KEY = 'digest';

export const chunkViews: ReadModel<ChunkView> = {
  name: 'file-chunks',
  entries: ({ file, from, to, digest }) => [
    { key: FILE_KEY, value: file },
    { key: FROM_KEY, value: from },
    { key: TO_KEY, value: to },
    { key: DIGEST_KEY, value: digest },
  ],
};

/** In the order of the pieces. */
export const chunkId = (file: number, number: number): string => `${file}.${String(number).padStart(6, '0')}`;

/** By user id: how many bytes of temporary files that came in chunks. Not there: none. */
export interface DiskUsageView extends Document {
  readonly id: number;
  readonly bytes: number;
}

export const diskUsageViews: ReadModel<DiskUsageView> = { name: 'disk-usage' };

/** By file id: discarded, and its bytes not erased yet. */
export interface DiscardedFileView extends Document {
  readonly id: number;
  readonly at: string;
}

export const discardedFileViews: ReadModel<DiscardedFileView> = { name: 'discarded-files' };
