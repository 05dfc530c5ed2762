import { type Digest } from '../core/blob-store.js';
import { type Event, type Revision, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';

/** A piece of a file, in the order of its number from 1. */
export interface Chunk {
  readonly number: number;
  readonly digest: Digest;
  readonly size: number;
}

/** What a file was said to be when its upload was started. */
export interface FileInfo {
  readonly owner: number;
  readonly name: string;
  readonly mediaType: string;
  readonly description: string;
  /** Bytes that are to come; null: any number, in the chunks of `artifact_temporary_files`. */
  readonly expected: number | null;
  /** The field that a resumable upload is meant for; null: any. */
  readonly fieldId: number | null;
}

/** Who claims a file: an artifact's field, in the command that writes the artifact. */
export interface Claim {
  readonly artifactId: number;
  readonly fieldId: number;
  readonly commandId: string;
  /**
   * Revision of the artifact's stream that the command appends to. Each attempt claims anew, so a claim is void once the
   * stream has gone on without naming the file. Missing in claims of earlier releases.
   */
  readonly upon?: Revision;
}

/** Stored for ever: extend, never rename. A claim stands until it is taken back because its command was refused. */
export type FileEvent =
  | Event<'FileUploadStarted', FileInfo & { fileId: number }>
  | Event<'FileChunkAdded', Chunk & { fileId: number; owner: number }>
  | Event<'FileAttached', Claim & { fileId: number; owner: number }>
  | Event<'FileDetached', Claim & { fileId: number; owner: number }>
  /** `chunks`: how many it had. */
  | Event<'FileDiscarded', { fileId: number; owner: number; chunks: number }>
  /** The bytes that no other file holds are gone. */
  | Event<'FileErased', { fileId: number }>;

export const fileEventTypes: EventTypes<FileEvent> = {
  FileUploadStarted: [],
  FileChunkAdded: [],
  FileAttached: [],
  FileDetached: [],
  FileDiscarded: [],
  FileErased: [],
};

/** The kind of their ids. */
export const FILE_IDS = 'file';

export const fileStream = (id: number): StreamName => `file-${id}`;

export const isFileStream = (stream: StreamName): boolean => stream.startsWith('file-');
