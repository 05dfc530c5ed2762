import {
  MaxAppendSizeExceededError,
  NO_STREAM as NO_STORE_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  type Appended,
  type Metadata,
  type NewEvent,
  NO_STREAM,
  type Position,
  type Revision,
  RevisionConflict,
  type StreamName,
} from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { enqueue } from '../../core/concurrency/keyed-queue.js';
import { jsonOf } from '../shared/event-json.js';
import { positionOf } from './codec.js';
import { Incomplete, tombstoned } from './errors.js';
import { readPart } from './read-stream.js';
import { retryTransient, type StoreContext, within } from './retry.js';

interface ReadyEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: 'application/json';
  readonly data: Record<string, unknown>;
  readonly metadata: Uint8Array;
}

interface Ready {
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

/**
 * The same call with the same ids again and again, until its outcome is known: to the server a repetition of what it
 * has stored is a success. Appends to one stream go one after the other, as calls may overtake each other on their way.
 */
export function append(context: StoreContext, ready: Ready): Promise<Appended> {
  return enqueue(context, ready.stream, () => retryTransient(() => attempt(context, ready), context));
}

async function attempt(context: StoreContext, ready: Ready): Promise<Appended> {
  const { connections, names, timing } = context;
  const { client, lost } = connections.current();
  const { stream, expected, events } = ready;
  const options = {
    expectedRevision: expected === NO_STREAM ? NO_STORE_STREAM : BigInt(expected),
    deadline: timing.call,
    requiresLeader: true,
  } as const;
  try {
    const call = client.appendToStream(names.inStore(stream), events, options);
    const { nextExpectedRevision, position } = await within(timing.call, call, lost);
    const revision = Number(nextExpectedRevision);
    return { revision, position: position ? positionOf(position) : await positionAt(context, stream, revision) };
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) {
      const { actualVersion } = error;
      return alreadyAppended(context, ready, typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM);
    }
    if (error instanceof StreamDeletedError) throw tombstoned(stream);
    if (error instanceof MaxAppendSizeExceededError) throw tooLarge(stream, undefined, error.maxAppendSize);
    throw error;
  }
}

async function positionAt(context: StoreContext, stream: StreamName, revision: Revision): Promise<Position> {
  const [event] = await readPart(context, stream, revision, 1);
  if (event === undefined) throw new Incomplete(`${stream} does not yet show the event at revision ${revision}`);
  return event.position;
}

/** A refusal, unless the events stand there already, from the first time. */
async function alreadyAppended(context: StoreContext, ready: Ready, actual: Revision): Promise<Appended> {
  const { stream, expected, events } = ready;
  if (actual >= expected + events.length) {
    const there = await readPart(context, stream, expected + 1, events.length);
    const last = there.at(-1);
    if (last === undefined || there.length < events.length) {
      throw new Incomplete(`The reading of ${stream} ended before revision ${actual}`);
    }
    const same = there.every(({ id }, n) => id === events[n]?.id.toLowerCase());
    if (same) return { revision: last.revision, position: last.position };
  }
  throw new RevisionConflict(stream, expected, actual);
}

function tooLarge(stream: StreamName, size: number | undefined, maxBytes: number): Problem {
  const much = size === undefined ? 'more than that' : `${size} bytes`;
  return new Problem('too-large', `The append to ${stream} is too large: ${much}; the limit is ${maxBytes} bytes`);
}
