/** Which events this release understands: by category of streams, the types and the versions of their data. */
import { type Event, type Recorded, type StreamName } from './event-log.js';

/** Makes data of one schema into data of the next. Pure. */
type Upcast = (data: object) => object;

/**
 * By event type: the upcasts from schema 1 to 2, from 2 to 3, and so on. The schema after the last upcast is the newest;
 * this release writes that one. A new type, and a new shape of data, is added here first.
 */
export type EventTypes<E extends Event = Event> = Readonly<Record<E['type'], readonly Upcast[]>>;

/** By category, which is the name of a stream up to its first "-". */
export type Categories = Readonly<Record<string, EventTypes>>;

export interface EventRegistry {
  /** Every type of every category, once. */
  readonly types: readonly string[];
  /** The types in the category of a stream; none for an unknown category. */
  typesIn(stream: StreamName): readonly string[];
  /** Whether this release understands events of the type and schema in that stream. */
  understands(event: { readonly stream: StreamName; readonly type: string; readonly schema: number }): boolean;
  /** The event with data of the newest schema; null for one that this release does not understand. */
  upcast(event: Recorded): Recorded | null;
  /** The schema that this release writes. */
  schemaOf(stream: StreamName, type: string): number;
}

const FIRST_SCHEMA = 1;

export function eventRegistry(categories: Categories): EventRegistry {
  const known = new Map(
    Object.entries(categories).map(([category, types]) => [category, new Map(Object.entries(types))]),
  );
  const typesOf = (stream: StreamName): ReadonlyMap<string, readonly Upcast[]> =>
    known.get(stream.slice(0, stream.indexOf('-'))) ?? NONE;
  const upcastsFrom = (stream: StreamName, type: string, schema: number): readonly Upcast[] | null => {
    const upcasts = typesOf(stream).get(type);
    const isKnown = Number.isInteger(schema) && schema >= FIRST_SCHEMA;
    if (upcasts === undefined || !isKnown || schema > FIRST_SCHEMA + upcasts.length) return null;
    return upcasts.slice(schema - FIRST_SCHEMA);
  };
  return {
    types: [...new Set([...known.values()].flatMap((types) => [...types.keys()]))],
    typesIn: (stream) => [...typesOf(stream).keys()],
    understands: ({ stream, type, schema }) => upcastsFrom(stream, type, schema) !== null,
    upcast: (event) => {
      const schema = schemaIn(event);
      const upcasts = upcastsFrom(event.stream, event.type, schema);
      if (upcasts === null || upcasts.length === 0) return upcasts && event;
      const data = upcasts.reduce<object>((older, upcast) => upcast(older), event.data);
      return { ...event, data, metadata: { ...event.metadata, schema: schema + upcasts.length } };
    },
    schemaOf: (stream, type) => FIRST_SCHEMA + (typesOf(stream).get(type)?.length ?? 0),
  };
}

const NONE: ReadonlyMap<string, readonly Upcast[]> = new Map();

/** An event that does not name its schema has the first one. */
export function schemaIn({ metadata }: Pick<Recorded, 'metadata'>): number {
  const schema: unknown = metadata.schema;
  return typeof schema === 'number' ? schema : schema === undefined ? FIRST_SCHEMA : Number.NaN;
}
