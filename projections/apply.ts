import { type Batch, type Position, type Recorded } from '../src/core/event-log.js';
import {
  type Change,
  type Effect,
  type Lookup,
  type Projection,
  type ReadModelStore,
  type Run,
} from '../src/core/projection.js';
import { type Document, type ReadModel } from '../src/core/read-models.js';

/** A projection whatever its events are: the log says which are there. */
export type AnyProjection = Projection<never>;

/** The run that a projection fills, and how far. */
export interface Target {
  readonly projection: AnyProjection;
  readonly run: Run;
  readonly position: Position | null;
}

/** An event that a projection cannot apply, and why. */
export interface Poison {
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly reason: string;
}

export interface Applied {
  /** Of the last event that the run reflects now. */
  readonly position: Position | null;
  /** Names of the read models that changed; a commit was made only if there are any. */
  readonly models: readonly string[];
  readonly events: number;
  /** The events before it are applied. */
  readonly poison: Poison | null;
}

export function typesOf({ when }: AnyProjection): readonly string[] {
  return Object.keys(when);
}

/** Folds a batch in memory and writes it in one commit. Throws what the store throws; what an event throws is its poison. */
export async function applyBatch(store: ReadModelStore, target: Target, batch: Batch): Promise<Applied> {
  let events: readonly Recorded[] = batch.events;
  let poison: Poison | null = null;
  for (;;) {
    const folded = await foldEvents(store, target, events);
    poison = folded.poison ?? poison;
    events = before(events, poison);
    const position = poison === null ? batch.position : (events.at(-1)?.position ?? target.position);
    const fault = await write(store, target, folded.changes, position, events);
    if (fault === null) {
      const models = [...new Set(folded.changes.map(({ model }) => model.name))];
      return { position, models, events: events.length, poison };
    }
    poison = fault;
    events = before(events, poison);
  }
}

function before(events: readonly Recorded[], poison: Poison | null): readonly Recorded[] {
  return poison === null ? events : events.filter(({ position }) => position < poison.position);
}

/** A document that cannot be written is the fault of its last event, not of the store. */
async function write(
  store: ReadModelStore,
  { projection, run }: Target,
  changes: readonly Change[],
  position: Position | null,
  events: readonly Recorded[],
): Promise<Poison | null> {
  if (changes.length === 0) return null;
  try {
    await store.commit(projection.name, run, changes, { version: projection.version, position });
    return null;
  } catch (error) {
    for (const change of changes) {
      const reason = unwritable(change);
      const event = events.find((one) => one.position === change.position);
      if (reason !== null && event !== undefined) return poisonOf(event, reason);
    }
    throw error;
  }
}

function unwritable({ model, document }: Change): unknown {
  try {
    JSON.stringify(document);
    if (document !== null) model.entries?.(document);
    return null;
  } catch (reason) {
    return reason;
  }
}

interface Folded {
  readonly changes: readonly Change[];
  readonly poison: Poison | null;
}

async function foldEvents(store: ReadModelStore, target: Target, events: readonly Recorded[]): Promise<Folded> {
  const { projection, run } = target;
  const planned: Planned[] = [];
  let poison: Poison | null = null;
  for (const event of events) {
    const effects = attempt(() => effectsOf(projection, event));
    if (effects.failed) {
      poison = poisonOf(event, effects.reason);
      break;
    }
    if (effects.result.length > 0) planned.push({ event, effects: effects.result });
  }
  const slots = await loadSlots(store, run, planned);
  for (const { event, effects } of planned) {
    const done = attempt(() => {
      evolve(event, effects, slots);
    });
    if (!done.failed) continue;
    poison = poisonOf(event, done.reason);
    break;
  }
  return { changes: changesOf(projection, slots), poison };
}

interface Planned {
  readonly event: Recorded;
  readonly effects: readonly Effect[];
}

type Attempt<T> = { readonly failed: false; readonly result: T } | { readonly failed: true; readonly reason: unknown };

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { failed: false, result: work() };
  } catch (reason) {
    return { failed: true, reason };
  }
}

function poisonOf({ type, stream, revision, position }: Recorded, reason: unknown): Poison {
  const message = reason instanceof Error ? reason.message : String(reason);
  return { type, stream, revision, position, reason: message };
}

/** Events off the log get their type here, and only here. */
function effectsOf({ name, models, when }: AnyProjection, event: Recorded): readonly Effect[] {
  if (!Object.hasOwn(when, event.type)) return [];
  const handlers = when as Readonly<Record<string, (event: Recorded) => readonly Effect[]>>;
  const effects = handlers[event.type]?.(event) ?? [];
  for (const { into } of effects) {
    if (!models.includes(into.name)) throw new Error(`${into.name} is no read model of ${name}`);
  }
  return effects;
}

/** A document while a batch is folded into it. */
interface Slot {
  readonly model: ReadModel<Document>;
  readonly id: Document['id'];
  readonly loaded: Position | null;
  document: Document | null;
  changed: Position | null;
}

type Slots = ReadonlyMap<string, ReadonlyMap<Document['id'], Slot>>;

async function loadSlots(store: ReadModelStore, run: Run, planned: readonly Planned[]): Promise<Slots> {
  const wanted = new Map<string, { readonly model: ReadModel<Document>; readonly ids: Set<Document['id']> }>();
  for (const { into, id } of planned.flatMap(({ effects }) => effects)) {
    const known = wanted.get(into.name) ?? { model: into, ids: new Set() };
    wanted.set(into.name, known);
    known.ids.add(id);
  }
  const slots = new Map<string, ReadonlyMap<Document['id'], Slot>>();
  for (const [name, { model, ids }] of wanted) {
    const stored = await store.load(run, model, [...ids]);
    const slotOf = (id: Document['id']): Slot => {
      const { document = null, position: loaded = null } = stored.get(id) ?? {};
      return { model, id, loaded, document, changed: null };
    };
    slots.set(name, new Map([...ids].map((id) => [id, slotOf(id)])));
  }
  return slots;
}

function changesOf({ models }: AnyProjection, slots: Slots): readonly Change[] {
  return models
    .flatMap((name) => [...(slots.get(name)?.values() ?? [])])
    .flatMap(({ model, id, document, changed }) =>
      changed === null ? [] : [{ model, id, document, position: changed }],
    );
}

/** All effects of an event or none. A document that stands at the event's position already reflects it. */
function evolve(event: Recorded, effects: readonly Effect[], slots: Slots): void {
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
