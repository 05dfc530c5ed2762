import { type AllStreamResolvedEvent, type ResolvedEvent } from '@eventstore/db-client';
import { type EventHeader, type Position, type Recorded, type StreamName } from '../../core/event-log.js';
import { recordedAt } from '../shared/event-json.js';
import { positionOf } from './position.js';

export type Resolved = AllStreamResolvedEvent | ResolvedEvent;
export type StoredEvent = NonNullable<Resolved['event']>;

/** The streams of this log among all those on the server. */
export interface Names {
  /** Throws for a name that would not be found again. */
  readonly inStore: (stream: StreamName) => string;
  /** Null for a stream of somebody else, or of the server itself. */
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

/** Undefined where only a link is left of a deleted event. */
export function positionIn({ event, link }: Resolved): Position | undefined {
  const position = (link ?? event)?.position;
  return position === undefined ? undefined : positionOf(position);
}

/** Where an event stands, whatever is in it. */
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
