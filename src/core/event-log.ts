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
 * Place in the whole log. Opaque above the adapter, which writes it so that the code-unit order of two
 * positions of one log is their order in that log: `a < b` compares, in TypeScript, SQL and MongoDB alike.
 */
export type Position = string & { readonly [positionBrand]: never };
declare const positionBrand: unique symbol;

/** The revision of a stream that nobody has written to. */
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
  /** Revision of the tracker's definition that the command was validated against. */
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

export interface Appended {
  /** Of the last event of the append. */
  readonly revision: Revision;
  readonly position: Position;
}

export interface StreamRead<E extends Event> {
  readonly events: readonly Recorded<E>[];
  readonly revision: Revision;
}

/** A stretch of the log. `position` is that of the last event looked at, wanted or not. */
export interface Batch {
  readonly events: readonly Recorded[];
  readonly position: Position;
}

/**
 * What those who only read the log need. An event that cannot be read ends a reading that wants it with UnreadableEvent,
 * after everything before it has been handed over; one of a type that is not wanted is passed over like any other.
 */
export interface EventReader {
  /** A stream nobody has written to is empty, at revision NO_STREAM. */
  read<E extends Event>(stream: StreamName): Promise<StreamRead<E>>;
  /**
   * Every event of these types after a position, up to the end of the log as it is when the reading gets there. No types
   * at all mean every event, also those of types that nobody here knows.
   */
  readAll(after: Position | null, types: readonly string[], signal?: AbortSignal): AsyncIterable<Batch>;
  /** The same, then what is still to come, until the signal aborts. */
  subscribe(after: Position | null, types: readonly string[], signal: AbortSignal): AsyncIterable<Batch>;
  /** Position of the last event now; null for an empty log. */
  end(): Promise<Position | null>;
  /** How far along the log a position is, from 0 to 1, for those who watch: no more than an estimate. */
  share(position: Position, end: Position): number;
}

export interface EventLog extends EventReader {
  /**
   * Appends every event or none, durable when it resolves. Throws RevisionConflict unless the stream is at
   * `expected`; an append of which the events already stand right after `expected`, with the same ids, is a
   * retry and answers as the first did.
   */
  append(stream: StreamName, expected: Revision, events: readonly NewEvent[], metadata: Metadata): Promise<Appended>;
}

/** Somebody else wrote first. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  readonly actual: Revision;

  constructor(stream: StreamName, expected: Revision, actual: Revision) {
    super(`${stream} is at revision ${actual}, not ${expected}`);
    this.actual = actual;
  }
}

/** Stands in the log, but is no event: of `data` or `metadata` there is no JSON object. Tells nothing of what they are. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  readonly type: string;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  readonly reason: string;

  constructor(at: Pick<Recorded, 'type' | 'stream' | 'revision' | 'position'>, reason: string) {
    const { type, stream, revision, position } = at;
    super(`The event ${type} of ${stream} at revision ${revision}, position ${position}, cannot be read: ${reason}`);
    this.type = type;
    this.stream = stream;
    this.revision = revision;
    this.position = position;
    this.reason = reason;
  }
}
