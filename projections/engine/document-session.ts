/** The documents that a batch touches, while its events are folded into them. */
import { type Position, type Recorded } from '../../src/core/event-log.js';
import { type Change, type Effect, type Lookup, type ReadModelStore, type Run } from '../../src/core/projection.js';
import { type Document, type ReadModel } from '../../src/core/read-models.js';
import { attempt } from './result.js';

export interface Planned {
  readonly event: Recorded;
  readonly effects: readonly Effect[];
}

/** A document while a batch is folded into it. */
interface Slot {
  readonly model: ReadModel<Document>;
  readonly id: Document['id'];
  readonly loaded: Position | null;
  document: Document | null;
  changed: Position | null;
}

export type Slots = ReadonlyMap<string, ReadonlyMap<Document['id'], Slot>>;

/**
 * In the reverse order of writing: whoever is writing them meanwhile has written all that comes before a document that
 * is seen to be written.
 */
export async function loadSlots(
  store: ReadModelStore,
  models: readonly string[],
  run: Run,
  planned: readonly Planned[],
): Promise<Slots> {
  const wanted = new Map<string, { readonly model: ReadModel<Document>; readonly ids: Set<Document['id']> }>();
  for (const { into, id } of planned.flatMap(({ effects }) => effects)) {
    const known = wanted.get(into.name) ?? { model: into, ids: new Set() };
    wanted.set(into.name, known);
    known.ids.add(id);
  }
  const slots = new Map<string, ReadonlyMap<Document['id'], Slot>>();
  for (const name of models.toReversed()) {
    const { model, ids } = wanted.get(name) ?? {};
    if (model === undefined || ids === undefined) continue;
    const stored = await store.load(run, model, [...ids]);
    const slotOf = (id: Document['id']): Slot => {
      const { document = null, position: loaded = null } = stored.get(id) ?? {};
      return { model, id, loaded, document, changed: null };
    };
    slots.set(name, new Map([...ids].map((id) => [id, slotOf(id)])));
  }
  return slots;
}

/** In the order of the models. */
export function changesOf(models: readonly string[], slots: Slots): readonly Change[] {
  return models
    .flatMap((name) => [...(slots.get(name)?.values() ?? [])])
    .flatMap(({ model, id, document, changed }) =>
      changed === null ? [] : [{ model, id, document, position: changed }],
    );
}

/** All effects of an event or none. A document that stands at the event's position already reflects it. */
export function evolve(event: Recorded, effects: readonly Effect[], slots: Slots): void {
  const touched = effects.flatMap(({ into, id }) => slots.get(into.name)?.get(id) ?? []);
  const undo = touched.map(({ document, changed }) => ({ document, changed }));
  const lookup: Lookup = <D extends Document>(model: ReadModel<D>, id: D['id']): D | null => {
    const slot = touched.find((one) => one.model.name === model.name && one.id === id);
    if (slot === undefined) throw new Error(`${event.type} looks up a document that it does not name`);
    return slot.document as D | null;
  };
  const done = attempt(() => {
    for (const [index, slot] of touched.entries()) evolveOne(event, effects[index], slot, lookup);
  });
  if (!done.failed) return;
  for (const [index, slot] of touched.entries()) Object.assign(slot, undo[index]);
  throw done.reason;
}

function evolveOne(event: Recorded, effect: Effect | undefined, slot: Slot, lookup: Lookup): void {
  if (effect === undefined || (slot.loaded !== null && slot.loaded >= event.position)) return;
  const next = effect.evolve(slot.document, lookup);
  if (next === slot.document) return;
  if (next !== null && next.id !== slot.id)
    throw new Error(`A document of ${slot.model.name} has another id than its effect`);
  slot.document = next;
  slot.changed = event.position;
}
