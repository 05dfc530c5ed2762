/** The documents that a batch touches, while its events are folded into them. */
import { setImmediate } from 'node:timers/promises';
import { heapSize } from '../../src/core/bounds.js';
import { type Position, type Recorded } from '../../src/core/event-log.js';
import { type Change, type Effect, type Lookup, type ReadModelStore, type Stored } from '../../src/core/projection.js';
import { type Document, type ReadModel } from '../../src/core/read-models.js';
import { isAfter, type GenerationProgress } from './generation-progress.js';
import { type LeftDocument, type Recent } from './recent-documents.js';

export interface Planned {
  readonly event: Recorded;
  readonly effects: readonly Effect[];
}

/** A document while a batch is folded into it. */
interface TrackedDocument {
  readonly model: ReadModel<Document>;
  readonly id: Document['id'];
  /** As it is stored. */
  readonly before: Stored | null;
  document: Document | null;
  changed: Position | null;
}

export type DocumentSession = ReadonlyMap<string, ReadonlyMap<Document['id'], TrackedDocument>>;

/** Where the documents of a batch come from. */
interface Source {
  readonly store: ReadModelStore;
  readonly models: readonly string[];
  readonly progress: Pick<GenerationProgress, 'generation' | 'position'>;
  /** Left out: all documents are loaded. */
  readonly recent: Recent | undefined;
}

/** A document that the batch touches. */
interface Wanted {
  /** The first event that touches it: its index in the batch. */
  readonly first: number;
  /** Whether the document's own stream begins with that event, so that nothing is stored of it. */
  readonly isNew: boolean;
}

interface WantedOfModel {
  readonly model: ReadModel<Document>;
  /** In the order of the events. */
  readonly ids: Map<Document['id'], Wanted>;
}

/** The documents of the first events: of as many as fit in memory, and of one at least. */
interface Loaded {
  readonly session: DocumentSession;
  readonly fitting: number;
}

/**
 * Loads what is neither new nor recent. A document beyond the generation's position is of a commit that was cut short,
 * or is under way elsewhere: what is known without loading may then lack the rest of that commit.
 */
export async function loadDocumentSession(source: Source, planned: readonly Planned[]): Promise<Loaded> {
  const { progress, recent } = source;
  if (recent === undefined) return load(source, planned, () => undefined);
  const loaded = await load(source, planned, (model, id, isNew) => (isNew ? null : recent(model, id)));
  const isBeyond = ({ before }: TrackedDocument): boolean => isAfter(before?.position ?? null, progress.position);
  return documentsOf(loaded.session).some(isBeyond) ? load(source, planned, () => undefined) : loaded;
}

function wantedBy(planned: readonly Planned[]): ReadonlyMap<string, WantedOfModel> {
  const wanted = new Map<string, WantedOfModel>();
  for (const [first, { event, effects }] of planned.entries()) {
    for (const { into: model, id } of effects) {
      const { ids } = wanted.get(model.name) ?? { ids: new Map<Document['id'], Wanted>() };
      wanted.set(model.name, { model, ids });
      const isNew = event.revision === 0 && event.stream === `${model.category}-${id}`;
      if (!ids.has(id)) ids.set(id, { first, isNew });
    }
  }
  return wanted;
}

type KnownOf = (model: ReadModel<Document>, id: Document['id'], isNew: boolean) => Stored | null | undefined;

/**
 * In the reverse order of writing. If another worker writes meanwhile, each document that is seen was written after all
 * documents that are loaded later.
 */
async function load(source: Source, planned: readonly Planned[], knownOf: KnownOf): Promise<Loaded> {
  const wanted = wantedBy(planned);
  const session = new Map<string, ReadonlyMap<Document['id'], TrackedDocument>>();
  let fitting = planned.length;
  for (const name of source.models.toReversed()) {
    const ofModel = wanted.get(name);
    if (ofModel === undefined) continue;
    const loaded = await loadModel(source, ofModel, fitting, knownOf);
    session.set(name, loaded.documents);
    fitting = loaded.fitting;
  }
  return { session, fitting };
}

async function loadModel(
  source: Source,
  { model, ids }: WantedOfModel,
  events: number,
  knownOf: KnownOf,
): Promise<{ readonly documents: ReadonlyMap<Document['id'], TrackedDocument>; readonly fitting: number }> {
  const needed = [...ids].filter(([, { first }]) => first < events);
  const known = new Map(needed.map(([id, { isNew }]) => [id, knownOf(model, id, isNew)] as const));
  const unknown = needed.filter(([id]) => known.get(id) === undefined);
  const { stored, left } = await loadInSlices(source, model, unknown);
  const fitting = left?.first ?? events;
  const trackedOf = (id: Document['id']): TrackedDocument => {
    const before = known.get(id) ?? stored.get(id) ?? null;
    return { model, id, before, document: before?.document ?? null, changed: null };
  };
  const loaded = needed.filter(([, { first }]) => first < fitting);
  return { documents: new Map(loaded.map(([id]) => [id, trackedOf(id)])), fitting };
}

/** Of one read model, in bytes of the heap. Once more is loaded, the other events are left for later. */
const MOST_SIZE = 32 * 1024 * 1024;

/** Documents that are loaded at once: few at first, then as many as were small enough before. */
const [FEWEST, MOST] = [16, 32];

interface LoadedSlices {
  readonly stored: ReadonlyMap<Document['id'], Stored>;
  /** The first document that is not loaded. */
  readonly left?: Wanted | undefined;
}

async function loadInSlices(
  { store, progress }: Source,
  model: ReadModel<Document>,
  unknown: readonly (readonly [Document['id'], Wanted])[],
): Promise<LoadedSlices> {
  const stored = new Map<Document['id'], Stored>();
  let [size, last]: [number, LoadedSlices['stored']] = [0, stored];
  for (let from = 0; from < unknown.length;) {
    const left = unknown[from]?.[1];
    size += heapSize(last, MOST_SIZE);
    // The first event has all of its documents.
    if (size > MOST_SIZE && left?.first !== 0) return { stored, left };
    if (from > 0) await setImmediate();
    const ids = unknown.slice(from, from + Math.min(Math.max(FEWEST, from), MOST)).map(([id]) => id);
    from += ids.length;
    last = await store.load(progress.generation, model, ids);
    for (const [id, one] of last) stored.set(id, one);
  }
  return { stored };
}

const documentsOf = (session: DocumentSession): readonly TrackedDocument[] =>
  [...session.values()].flatMap((documents) => [...documents.values()]);

/** In the order of the models. */
export function changesOf(models: readonly string[], session: DocumentSession): readonly Change[] {
  return models
    .flatMap((name) => [...(session.get(name)?.values() ?? [])])
    .flatMap(({ model, id, document, changed, before }) =>
      changed === null ? [] : [{ model, id, document, position: changed, before }],
    );
}

/** What is stored once the changes are. */
export function leftBy(session: DocumentSession): readonly LeftDocument[] {
  return documentsOf(session).flatMap(({ model, id, document, changed, before }) => {
    const stored = changed === null ? before : { document, position: changed };
    return stored === null ? [] : [{ model, id, stored }];
  });
}

/** All effects of an event or none. A document that stands at the event's position already reflects it. */
export function evolve(event: Recorded, effects: readonly Effect[], session: DocumentSession): void {
  const touched = effects.flatMap(({ into, id }) => session.get(into.name)?.get(id) ?? []);
  const undo = touched.map(({ document, changed }) => ({ document, changed }));
  const lookup: Lookup = <D extends Document>(model: ReadModel<D>, id: D['id']): D | null => {
    const tracked = touched.find((one) => one.model.name === model.name && one.id === id);
    if (tracked === undefined) throw new Error(`${event.type} looks up a document that it does not name`);
    return tracked.document as D | null;
  };
  try {
    for (const [index, tracked] of touched.entries()) evolveOne(event, effects[index], tracked, lookup);
  } catch (error) {
    for (const [index, tracked] of touched.entries()) Object.assign(tracked, undo[index]);
    throw error;
  }
}

function evolveOne(event: Recorded, effect: Effect | undefined, tracked: TrackedDocument, lookup: Lookup): void {
  if (effect === undefined || (tracked.before !== null && tracked.before.position >= event.position)) return;
  const next = effect.evolve(tracked.document, lookup);
  if (next === tracked.document) return;
  if (next !== null && next.id !== tracked.id)
    throw new Error(`A document of ${tracked.model.name} has another id than its effect`);
  tracked.document = next;
  tracked.changed = event.position;
}
