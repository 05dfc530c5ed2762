import { Problem } from './problem.js';

/** A fact, named in the past tense. Type and data are stored for ever: extend them, never rename them. */
export interface Event<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Readonly<Data>;
}

/** category-id */
export type StreamName = `${string}-${string}`;

/** Place in a stream, from 0; served as the ETag. */
export type Revision = number;

/**
 * Place in the whole log. Opaque above the adapter. The code-unit order of positions is the order of the log, so `a <
 * b` compares in TypeScript, SQL and MongoDB.
 */
export type Position = string & { readonly [positionBrand]: never };
declare const positionBrand: unique symbol;

/** The revision of an empty stream. */
export const NO_STREAM: Revision = -1;

export interface Metadata {
  /** User id; null when operations acted (the platform file, a recovery). */
  readonly actor: number | null;
  /** UTC instant, ISO-8601 with milliseconds and Z. */
  readonly at: string;
  /** Version of the shape of `data`. */
  readonly schema: number;
  /** The command that caused the event; a retry of the same command carries the same. */
  readonly commandId: string;
  readonly requestId?: string;
  /** Revision of the definition that the command was validated against. */
  readonly definition?: Revision;
}

/** An event about to be appended. `id` is a UUID, derived from the command so that a retry repeats it. */
export type NewEvent<E extends Event = Event> = E & { readonly id: string };

export type Recorded<E extends Event = Event> = E & {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  readonly metadata: Metadata;
};

/** Where an event stands, without what it holds. */
export type EventHeader = Omit<Recorded, 'data' | 'metadata'>;

export interface Appended {
  /** Of the last event of the append. */
  readonly revision: Revision;
  readonly position: Position;
}

/** From a revision on, up to one that the stream has; or so many of the last events, none of them before a revision. */
export type StreamPart =
  { readonly from: Revision; readonly to: Revision } | { readonly last: number; readonly from?: Revision };

export interface StreamRead<E extends Event> {
  readonly events: readonly Recorded<E>[];
  /** Revision of the stream's last event, or of the part's last one. */
  readonly revision: Revision;
}

/** A stretch of the log. */
export interface Batch {
  readonly events: readonly Recorded[];
  /** Position of the last event read, left out or not. */
  readonly position: Position;
  /** The id of that event. */
  readonly event: string;
}

/**
 * Read access to the log. An unreadable event ends a reading with UnreadableEvent, after all earlier events. A reading
 * that leaves out its type skips it.
 */
export interface EventReader {
  /**
   * The events of a stream or of a part. Of more than READ_BYTES, only the first events, or of `last` the last ones; at
   * least one. A stream without events is empty, at revision NO_STREAM.
   */
  read<E extends Event>(stream: StreamName, part?: StreamPart): Promise<StreamRead<E>>;
  /** The places of events of a stream after a revision, at most so many, unreadable events included. */
  places(stream: StreamName, after: Revision, most: number): Promise<readonly EventHeader[]>;
  /**
   * Every event after a position, up to the end of the log. Callers name the types to leave out, so that unknown types
   * arrive.
   */
  readAll(after: Position | null, leftOut: readonly string[], signal?: AbortSignal): AsyncIterable<Batch>;
  /** The same, then new events, until the signal aborts. */
  subscribe(after: Position | null, leftOut: readonly string[], signal: AbortSignal): AsyncIterable<Batch>;
  /** Position of the last event now; null for an empty log. */
  end(): Promise<Position | null>;
  /**
   * Id of the event at a position; null if none stands there, as beyond the end of a log that was restored.
   */
  eventAt(position: Position): Promise<string | null>;
  /** An estimate, from 0 to 1, of how far along the log a position is. */
  fractionAt(position: Position, end: Position): number;
}

export interface EventLog extends EventReader {
  /**
   * Appends every event or none, durable when it resolves. Throws RevisionConflict unless the stream is at `expected`.
   * A retry, whose event ids already follow `expected`, returns the first result.
   */
  append(stream: StreamName, expected: Revision, events: readonly NewEvent[], metadata: Metadata): Promise<Appended>;
}

/** Another writer was first. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  readonly actual: Revision;

  constructor(stream: StreamName, expected: Revision, actual: Revision) {
    super(`${stream} is at revision ${actual}, not ${expected}`);
    this.actual = actual;
  }
}

/** A reading cannot continue after this position: the log holds another event there, or none. */
export class InvalidPosition extends Error {
  override readonly name = 'InvalidPosition';
  readonly position: Position;

  constructor(position: Position) {
    super(`The log does not hold the event at position ${position}: it is another log, or an older state of it`);
    this.position = position;
  }
}

/** A record of the log that is not a valid event. The message contains nothing of `data` and `metadata`. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  /** The stored bytes are not those that were written: `type` and `stream` may be wrong, too. */
  readonly isDamaged: boolean;
  readonly id: string;
  readonly type: string;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  readonly reason: string;

  constructor(
    at: Pick<Recorded, 'id' | 'type' | 'stream' | 'revision' | 'position'>,
    reason: string,
    isDamaged = false,
  ) {
    const { id, type, stream, revision, position } = at;
    super(`The event ${type} of ${stream} at revision ${revision}, position ${position}, cannot be read: ${reason}`);
    this.id = id;
    this.type = type;
    this.stream = stream;
    this.revision = revision;
    this.position = position;
    this.reason = reason;
    this.isDamaged = isDamaged;
  }
}

/** Seconds: as long as an upgrade of several processes may take. */
export const UPGRADE_RETRY_AFTER = 30;

/** An event of a newer release, which this one does not understand. Later events of the stream build on it. */
export class UnsupportedEvent extends Problem {
  readonly type: string;
  /** Null where the event cannot be read. */
  readonly schema: number | null;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  /** Without the stream. */
  readonly reason: string;

  constructor(at: Pick<Recorded, 'type' | 'stream' | 'revision' | 'position'> & { readonly schema: number | null }) {
    const { type, schema, stream, revision, position } = at;
    const what = schema === null ? `${type}, not readable` : `${type}, schema ${schema}`;
    const reason = `holds an event that this release does not understand: ${what}, revision ${revision}`;
    const message = `${stream} ${reason}. This release neither reads nor changes the stream; a newer one does`;
    super('unavailable', message, { retryAfter: UPGRADE_RETRY_AFTER });
    this.reason = reason;
    this.type = type;
    this.schema = schema;
    this.stream = stream;
    this.revision = revision;
    this.position = position;
  }
}
