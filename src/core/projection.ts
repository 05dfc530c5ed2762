import { PermanentError } from './concurrency/retry.js';
import { type Event, type Position, type Recorded } from './event-log.js';
import { type Mark } from './marks.js';
import { type Document, type ReadModel } from './read-models.js';

/** Documents of the event at hand, as they stand after the effects before this one. */
export type Lookup = <D extends Document>(model: ReadModel<D>, id: D['id']) => D | null;

/**
 * What an event does to one document. Null deletes. `evolve` is a method so that effects on several read models fit in
 * one list. The runner passes only documents of the effect's own model.
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

/** A position with the id of its event. After a restore, another event may have the same position. */
export interface LogPlace {
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
  /** What it replaces, as last known; null if nothing is there. Undefined where nothing is known. */
  readonly before?: Stored | null | undefined;
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

/** A runner's report to readers: the position that the serving generation reflects. */
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

/** A store that is full or damaged fills no generation beside the one that it serves: another try would fail, too. */
export class StoreFault extends PermanentError {
  override readonly name = 'StoreFault';
}

/**
 * Write access to the read models. The projections' runner is the only writer. What fills a generation beside the one
 * that is served throws StoreFault before it takes the room of what is served.
 */
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
   * Writes the documents, then the checkpoint. A failed commit may be there in part; its repetition changes no document
   * at its position. A checkpoint at the stored position records its event. Throws UnwritableDocument for a document
   * that no retry can write. Marks are known with the checkpoint, at the latest.
   */
  commit(
    projection: string,
    generation: Generation,
    changes: readonly Change[],
    checkpoint: Checkpoint,
    marks?: readonly Mark[],
  ): Promise<void>;
  /** All marks of the generation's commits, unfinished ones included. They are removed with the generation. */
  marks(projection: string, generation: Generation): Promise<readonly Mark[]>;
  /**
   * All documents of a read model in short slices: numeric ids first, then texts by their UTF-8. Each slice is a
   * separate reading, so the generation may change in between.
   */
  documents(generation: Generation, model: string): AsyncIterable<readonly Kept[]>;
  /**
   * The faults of a generation (counts, index entries without a document), in words; empty if it is sound. Works in
   * slices, with other work of the thread in between. `onRows` is called with the rows of each slice, and with 0 between
   * other steps. What it throws ends the work.
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
