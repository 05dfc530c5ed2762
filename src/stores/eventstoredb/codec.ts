import { type AllStreamResolvedEvent, type Position as StorePosition, type ResolvedEvent } from '@eventstore/db-client';
import {
  type EventHeader,
  type Metadata,
  type NewEvent,
  type Position,
  type Recorded,
  type Revision,
  type StreamName,
} from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { jsonOf, recordedAt } from '../shared/event-json.js';
import { tooLarge } from './errors.js';

export type Resolved = AllStreamResolvedEvent | ResolvedEvent;
export type StoredEvent = NonNullable<Resolved['event']>;

/** The streams of this log among all those on the server. */
export interface Names {
  readonly prefix: string;
  /** Throws for a name that would not be found again. */
  readonly inStore: (stream: StreamName) => string;
  /** Null for a stream of another program, or of the server itself. */
  readonly inLog: (storeName: string) => StreamName | null;
}

/** A category has no ".", so that what precedes it is one prefix only, even where another one begins with that. */
const STREAM = /^[^.-]+-/;

export function names(prefix: string): Names {
  if (prefix.startsWith('$')) throw new Error('The prefix of streams begins with $, which is kept for the server');
  if (!prefix.endsWith('.') || prefix.includes('-')) {
    throw new Error('The prefix of streams has to end in ".", and to be without "-"');
  }
  return {
    prefix,
    inStore: (stream) => {
      if (!STREAM.test(stream)) throw new Error(`${stream} is no name of a stream: its category has a "."`);
      return `${prefix}${stream}`;
    },
    inLog: (storeName) => {
      if (storeName.startsWith('$') || !storeName.startsWith(prefix)) return null;
      const stream = storeName.slice(prefix.length);
      return isStreamName(stream) ? stream : null;
    },
  };
}

function isStreamName(text: string): text is StreamName {
  return STREAM.test(text);
}

const POSITION = /^[0-9a-f]{32}$/;
const DIGITS = 16;

/** What a server older than 22.6 says of an event that it reads from a stream. */
const UNKNOWN = 0xffff_ffff_ffff_ffffn;

/** Commit, then prepare, as 16 hex digits each. */
export function positionOf({ commit, prepare }: StorePosition): Position {
  if (commit === UNKNOWN) throw new Error('The EventStoreDB server is too old to tell the positions of events');
  const text = hex(commit);
  return `${text}${commit === prepare ? text : hex(prepare)}` as Position;
}

export function storePosition(position: Position): StorePosition {
  if (!POSITION.test(position)) throw new Problem('invalid', `Not a position of this log: ${position}`);
  return { commit: BigInt(`0x${position.slice(0, DIGITS)}`), prepare: BigInt(`0x${position.slice(DIGITS)}`) };
}

/** By bytes of the server's log: others' events count too. */
export function fractionOf(position: Position, end: Position): number {
  return Math.min(1, Number(storePosition(position).commit) / Math.max(1, Number(storePosition(end).commit)));
}

function hex(part: bigint): string {
  return part.toString(16).padStart(DIGITS, '0');
}

/** Undefined where only a link is left of a deleted event. */
export function positionIn({ event, link }: Resolved): Position | undefined {
  const position = (link ?? event)?.position;
  return position === undefined ? undefined : positionOf(position);
}

export function idIn({ event, link }: Resolved): string | null {
  return (link ?? event)?.id ?? null;
}

/**
 * Null for an event of another program, where only a link is left, and for what the server itself writes: the end of a
 * tombstoned stream has a revision that no event has.
 */
export function ownStream({ event }: Resolved, { inLog }: Names): StreamName | null {
  return event === undefined || event.type.startsWith('$') ? null : inLog(event.streamId);
}

/** Where an event stands, for any content. */
export function headerOf(stream: StreamName, { id, type, revision, position }: StoredEvent): EventHeader {
  if (position === undefined) throw new Error(`The server gives no position for an event of ${stream}`);
  if (revision > Number.MAX_SAFE_INTEGER) throw new Error(`${stream} has a revision beyond all reason: ${revision}`);
  return { id, type, stream, revision: Number(revision), position: positionOf(position) };
}

/** An event as it stands in the store, checked: the client lets pass what is no JSON, as a text or as bytes. */
export function recorded(stream: StreamName, event: StoredEvent): Recorded {
  return recordedAt(headerOf(stream, event), event.data, event.metadata);
}

/** About how much memory a value takes up, for batches that stay small. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof Uint8Array) return value.length;
  let weight = 16;
  for (const [key, part] of Object.entries(value)) weight += key.length + weightOf(part);
  return weight;
}

interface ReadyEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: 'application/json';
  readonly data: Record<string, unknown>;
  readonly metadata: Uint8Array;
}

export interface Ready {
  readonly stream: StreamName;
  readonly expected: Revision;
  readonly events: ReadyEvent[];
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Checked here, before the client sees it: what it cannot express it would neither send nor refuse. */
export function readyAppend(
  stream: StreamName,
  expected: Revision,
  events: readonly NewEvent[],
  metadata: Metadata,
  maxBytes: number,
): Ready {
  if (events.length === 0) throw new Error(`An append to ${stream} without events`);
  const facts = new TextEncoder().encode(jsonOf(metadata));
  let size = 0;
  const ready = events.map(({ id, type, data }): ReadyEvent => {
    if (!UUID.test(id)) throw new TypeError(`An event for ${stream} has an id that is no UUID`);
    const json = jsonOf(data);
    // As the server counts.
    size += Buffer.byteLength(json) + facts.length + 2 * type.length;
    // A copy, so that a repetition sends what was sent first.
    const copy = JSON.parse(json) as Record<string, unknown>;
    return { id, type, contentType: 'application/json', data: copy, metadata: facts };
  });
  if (size > maxBytes) throw tooLarge(stream, size, maxBytes);
  return { stream, expected, events: ready };
}
