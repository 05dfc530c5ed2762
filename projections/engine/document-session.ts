/** The documents that a batch touches, while its events are folded into them. */
import { type Position, type Recorded } from '../../src/core/event-log.js';
import {
  type Change,
  type Effect,
  type Lookup,
  type ReadModelStore,
  type Generation,
} from '../../src/core/projection.js';
import { type Document, type ReadModel } from '../../src/core/read-models.js';

export interface Planned {
  readonly event: Recorded;
  readonly effects: readonly Effect[];
}

/** A document while a batch is folded into it. */
interface TrackedDocument {
  readonly model: ReadModel<Document>;
  readonly id: Document['id'];
  readonly loaded: Position | null;
  document: Document | null;
  changed: Position | null;
}

export type DocumentSession = ReadonlyMap<string, ReadonlyMap<Document['id'], TrackedDocument>>;

/**
 * In the reverse order of writing. If another worker writes meanwhile, each document that is seen was written after all
 * documents that are loaded later.
 */
export async function loadDocumentSession(
  store: ReadModelStore,
  models: readonly string[],
  generation: Generation,
  planned: readonly Planned[],
): Promise<DocumentSession> {
  const wanted = new Map<string, { readonly model: ReadModel<Document>; readonly ids: Set<Document['id']> }>();
  for (const { into, id } of planned.flatMap(({ effects }) => effects)) {
    const known = wanted.get(into.name) ?? { model: into, ids: new Set() };
    wanted.set(into.name, known);
    known.ids.add(id);
  }
  const session = new Map<string, ReadonlyMap<Document['id'], TrackedDocument>>();
  for (const name of models.toReversed()) {
    const { model, ids } = wanted.get(name) ?? {};
    if (model === undefined || ids === undefined) continue;
    const stored = await store.load(generation, model, [...ids]);
    const trackedOf = (id: Document['id']): TrackedDocument => {
      const { document = null, position: loaded = null } = stored.get(id) ?? {};
      return { model, id, loaded, document, changed: null };
    };
    session.set(name, new Map([...ids].map((id) => [id, trackedOf(id)])));
  }
  return session;
}

/** In the order of the models. */
export function changesOf(models: readonly string[], session: DocumentSession): readonly Change[] {
  return models
    .flatMap((name) => [...(session.get(name)?.values() ?? [])])
    .flatMap(({ model, id, document, changed }) =>
      changed === null ? [] : [{ model, id, document, position: changed }],
    );
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
  if (effect === undefined || (tracked.loaded !== null && tracked.loaded >= event.position)) return;
  const next = effect.evolve(tracked.document, lookup);
  if (next === tracked.document) return;
  if (next !== null && next.id !== tracked.id)
    throw new Error(`A document of ${tracked.model.name} has another id than its effect`);
  tracked.document = next;
  tracked.changed = event.position;
}
