import { type Digest } from '../core/blob-store.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { type Claim, type FileInfo } from './file.js';

export interface FileView extends Document, FileInfo {
  readonly id: number;
  /** Bytes that have come. */
  readonly size: number;
  readonly chunks: number;
  readonly claim: Pick<Claim, 'artifactId' | 'fieldId'> | null;
  /** UTC instant of its last event. */
  readonly changedAt: string;
}

export const FILES = 'files';

/** Owner of a file that came in chunks and is not attached. */
export const TEMPORARY_KEY = 'temporary';
/** Seconds since 1970 at which a file that is not attached was last changed. */
export const OPEN_SINCE_KEY = 'open-since';
/** Owner of a resumable upload that goes on; `announcement` tells which. */
export const RESUMABLE_KEY = 'resumable';

export const fileViews: ReadModel<FileView> = {
  name: FILES,
  entries: ({ owner, expected, size, claim, changedAt }) => {
    if (claim !== null) return [];
    const isOpen = expected !== null && (size < expected || expected === 0);
    return [
      { key: OPEN_SINCE_KEY, value: Math.floor(Date.parse(changedAt) / 1000) },
      ...(expected === null ? [{ key: TEMPORARY_KEY, value: owner }] : []),
      ...(isOpen ? [{ key: RESUMABLE_KEY, value: owner }] : []),
    ];
  },
};

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

/** By file id: a claim of which the artifact's event has not been seen. */
export interface PendingClaimView extends Document, Claim {
  readonly id: number;
  readonly at: string;
}

export const pendingClaimViews: ReadModel<PendingClaimView> = { name: 'pending-claims' };

/** By file id: discarded, and its bytes not erased yet. */
export interface DiscardedFileView extends Document {
  readonly id: number;
  readonly at: string;
}

export const discardedFileViews: ReadModel<DiscardedFileView> = { name: 'discarded-files' };
