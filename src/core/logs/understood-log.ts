/** A log as this release understands it: each event in its newest schema, and those apart that a newer release wrote. */
import {
  UnreadableEvent,
  UnsupportedEvent,
  type Batch,
  type Event,
  type EventLog,
  type EventReader,
  type NewEvent,
  type Position,
  type Recorded,
  type StreamName,
  type StreamPart,
  type StreamRead,
} from '../event-log.js';
import { schemaIn, type EventRegistry } from '../event-types.js';

export interface UnderstoodBatch extends Batch {
  /** The events that this release does not understand. `events` holds none of them. */
  readonly unsupported: readonly UnsupportedEvent[];
}

/** `read` throws UnsupportedEvent where the stream holds an event that this release does not understand. */
export interface UnderstoodReader extends EventReader {
  readAll(after: Position | null, leftOut: readonly string[], signal?: AbortSignal): AsyncIterable<UnderstoodBatch>;
  subscribe(after: Position | null, leftOut: readonly string[], signal: AbortSignal): AsyncIterable<UnderstoodBatch>;
}

export function understoodReader(reader: EventReader, registry: EventRegistry): UnderstoodReader {
  return {
    ...reader,
    read: <E extends Event>(stream: StreamName, part?: StreamPart) => readStream<E>(reader, registry, { stream, part }),
    readAll: (after, leftOut, signal) => understood(registry, after, (from) => reader.readAll(from, leftOut, signal)),
    subscribe: (after, leftOut, signal) =>
      understood(registry, after, (from) => reader.subscribe(from, leftOut, signal)),
  };
}

/** Appends in the newest schema, and ignores that of the metadata. */
export function understoodLog(log: EventLog, registry: EventRegistry): UnderstoodReader & Pick<EventLog, 'append'> {
  return {
    ...understoodReader(log, registry),
    append: async (stream, expected, events, metadata) =>
      log.append(stream, expected, events, { ...metadata, schema: schemaOf(registry, stream, events) }),
  };
}

function schemaOf(registry: EventRegistry, stream: StreamName, events: readonly NewEvent[]): number {
  const [schema = 1, ...others] = new Set(events.map(({ type }) => registry.schemaOf(stream, type)));
  if (others.length > 0) throw new Error(`An append to ${stream} holds events of several schemas; metadata name one`);
  return schema;
}

async function readStream<E extends Event>(
  reader: EventReader,
  registry: EventRegistry,
  { stream, part }: { readonly stream: StreamName; readonly part: StreamPart | undefined },
): Promise<StreamRead<E>> {
  const { events, revision } = await reader.read<E>(stream, part);
  return { events: events.map((event) => upcast(registry, event)), revision };
}

/** The registry gives events of the stream's category, which the caller names by E. */
function upcast<E extends Event>(registry: EventRegistry, event: Recorded<E>): Recorded<E> {
  const newest = registry.upcast(event);
  if (newest === null) throw unsupported(event);
  return newest === event ? event : { ...event, data: newest.data, metadata: newest.metadata };
}

function unsupported(event: Recorded): UnsupportedEvent {
  return new UnsupportedEvent({ ...event, schema: schemaIn(event) });
}

/** An event that is of an unknown type and no JSON is unsupported, too, unless it is damaged: the reading goes on after it. */
async function* understood(
  registry: EventRegistry,
  after: Position | null,
  batches: (after: Position | null) => AsyncIterable<Batch>,
): AsyncGenerator<UnderstoodBatch, void, void> {
  let position = after;
  for (let isOver = false; !isOver;) {
    isOver = true;
    try {
      for await (const batch of batches(position)) {
        position = batch.position;
        yield sorted(registry, batch);
      }
    } catch (error) {
      if (!(error instanceof UnreadableEvent) || error.isDamaged) throw error;
      if (registry.typesIn(error.stream).includes(error.type)) throw error;
      const { type, stream, revision } = error;
      position = error.position;
      isOver = false;
      yield {
        events: [],
        position,
        event: error.id,
        unsupported: [new UnsupportedEvent({ type, schema: null, stream, revision, position })],
      };
    }
  }
}

function sorted(registry: EventRegistry, batch: Batch): UnderstoodBatch {
  const events: Recorded[] = [];
  const others: UnsupportedEvent[] = [];
  for (const event of batch.events) {
    const newest = registry.upcast(event);
    if (newest === null) others.push(unsupported(event));
    else events.push(newest);
  }
  return { ...batch, events, unsupported: others };
}
