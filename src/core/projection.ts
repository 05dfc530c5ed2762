import { type Event, type Position, type Recorded } from './event-log.js';
import { type Mark } from './marks.js';
import { type Document, type ReadModel } from './read-models.js';

/** Documents of the event at hand, as they stand after the effects before this one. */
export type Lookup = <D extends Document>(model: ReadModel<D>, id: D['id']) => D | null;

/**
 * What an event does to one document. Null deletes. `evolve` is a method so that effects on several read models fit in
 * one list: the runner hands each one documents of its own model only.
 */
export interface Effect<D extends Document = Document> {
  readonly into: ReadModel<D>;
  readonly id: D['id'];
  /** Pure. `lookup` sees the documents that this event's effects name, and no others. */
  evolve(document: D | null, lookup: Lookup): D | null;
}

/** An effect with its document's type inferred from the read model. */
export function effect<D extends Document>(
  into: ReadModel<D>,
  id: D['id'],
  evolve: (document: D | null, lookup: Lookup) => D | null,
): Effect {
  return { into, id, evolve };
}

/** How events become documents. An event type missing from `when` is not for this projection. */
export interface Projection<E extends Event = Event> {
  readonly name: string;
  /** Raise it when the shape or the entries of a document change: the documents are then rebuilt. */
  readonly version: number;
  /** In the order in which a commit writes them. */
  readonly models: readonly string[];
  readonly when: { readonly [T in E['type']]?: (event: Recorded<Extract<E, { type: T }>>) => readonly Effect[] };
}

/** One filling of a projection's read models, from the log's first event on. Several stand side by side. */
export type Generation = number;

/** A position, and the id of the event that stood there: the position alone does not tell one past of a log from another. */
export interface Place {
  readonly position: Position;
  /** Null where the position alone is known. */
  readonly event: string | null;
}

/** How far a generation is. */
export interface Reached {
  /** Last event that the generation reflects; null before the first. */
  readonly position: Position | null;
  /** Id of that event; null before the first. */
  readonly event: string | null;
}

export interface Checkpoint extends Reached {
  readonly version: number;
}

export interface Change {
  readonly model: ReadModel<Document>;
  readonly id: Document['id'];
  /** Null deletes. */
  readonly document: Document | null;
  readonly position: Position;
}

export interface Stored {
  readonly document: Document | null;
  readonly position: Position;
}

/** A document as a generation keeps it. */
export interface Kept {
  readonly id: Document['id'];
  /** The document as JSON; empty if it was lost. */
  readonly body: string;
  readonly position: Position;
}

/** What a runner tells those who read: what the generation that is served reflects by now. */
export interface Progress {
  readonly projection: string;
  readonly generation: Generation;
  /** Null for a generation over an empty log. */
  readonly position: Position | null;
  /**
   * Names of the read models of which documents changed since the last report; all of them after a switch of
   * generations.
   */
  readonly models: readonly string[];
  /** Marks of the generation that came since the last report; after a switch of generations it has others, too. */
  readonly marked?: readonly Mark[];
}

/** What the projections' runner does to the read models. It is their only writer. */
export interface ReadModelStore {
  /** The generation that readers see, or null before the first. */
  serving(projection: string): Promise<Generation | null>;
  checkpoint(projection: string, generation: Generation): Promise<Checkpoint | null>;
  /** Makes room for a new generation, with an empty checkpoint of this version. */
  open(projection: string, models: readonly string[], version: number): Promise<Generation>;
  load(
    generation: Generation,
    model: ReadModel<Document>,
    ids: readonly Document['id'][],
  ): Promise<ReadonlyMap<Document['id'], Stored>>;
  /**
   * Documents, and the checkpoint last: a commit that fails may have been done in part. Done again, it changes no document
   * that already stands at its position. A checkpoint at the position that is stored already records its event. Throws
   * UnwritableDocument if no other try would write one of the documents. Marks become known with the checkpoint, at the
   * latest.
   */
  commit(
    projection: string,
    generation: Generation,
    changes: readonly Change[],
    checkpoint: Checkpoint,
    marks?: readonly Mark[],
  ): Promise<void>;
  /**
   * All that were handed to a commit of the generation, those of an unfinished commit included. They go with the
   * generation.
   */
  marks(projection: string, generation: Generation): Promise<readonly Mark[]>;
  /**
   * All documents of a read model in slices that are soon worked through: numbered ones first, then texts by their
   * UTF-8. The store reads each slice by itself, so that a generation may change meanwhile.
   */
  documents(generation: Generation, model: string): AsyncIterable<readonly Kept[]>;
  /**
   * What is wrong with a generation taken by itself (counts, index entries without a document), in words; empty when
   * sound. In slices, so that other work of the thread comes in between. `onRows` is called with the rows of each
   * slice.
   */
  verify(
    projection: string,
    generation: Generation,
    models: readonly string[],
    onRows?: (rows: number) => void,
  ): Promise<readonly string[]>;
  /**
   * Readers see the generation from now on, in one step. Refuses (false) a generation whose checkpoint is behind that
   * of the generation it replaces, which is removed once no reader uses it.
   */
  serve(projection: string, generation: Generation): Promise<boolean>;
  /** Readers see no generation of the projection from now on. The one that they saw is removed. */
  withdraw(projection: string): Promise<void>;
  /** Removes a generation that is not served. */
  discard(projection: string, generation: Generation, models: readonly string[]): Promise<void>;
}
