import { type Batch, type Position, type Recorded } from '../src/core/event-log.js';
import { type Change, type Effect, type Projection, type ReadModelStore, type Run } from '../src/core/projection.js';
import { attempt } from './attempt.js';
import { changesOf, evolve, loadSlots, type Planned } from './slots.js';

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

/**
 * Folds a batch in memory and writes it in one commit, or in two where a commit that was begun before has to be
 * finished. Throws what the store throws; what an event throws is its poison.
 */
export async function applyBatch(store: ReadModelStore, target: Target, batch: Batch): Promise<Applied> {
  const begun = store.begun(target.projection.name, target.run);
  if (begun === null || batch.position <= begun) return applyWhole(store, target, batch);
  const isEarly = ({ position }: Recorded): boolean => position <= begun;
  const early = { events: batch.events.filter(isEarly), position: begun };
  const finished = await applyWhole(store, target, early);
  if (finished.poison !== null) return finished;
  const late = { events: batch.events.filter((event) => !isEarly(event)), position: batch.position };
  const applied = await applyWhole(store, { ...target, position: finished.position }, late);
  return {
    ...applied,
    models: [...new Set([...finished.models, ...applied.models])],
    events: finished.events + applied.events,
  };
}

async function applyWhole(store: ReadModelStore, target: Target, batch: Batch): Promise<Applied> {
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
  // Where all is written already, a commit that was begun is finished nevertheless.
  if (changes.length === 0 && store.begun(projection.name, run) !== position) return null;
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
  const slots = await loadSlots(store, projection.models, run, planned);
  for (const { event, effects } of planned) {
    const done = attempt(() => {
      evolve(event, effects, slots);
    });
    if (!done.failed) continue;
    poison = poisonOf(event, done.reason);
    break;
  }
  return { changes: changesOf(projection.models, slots), poison };
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
