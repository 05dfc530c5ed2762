import { type Batch, type Position, type Recorded } from '../../src/core/event-log.js';
import { type EventRegistry } from '../../src/core/event-types.js';
import {
  type Change,
  type Effect,
  type LogPlace,
  type Reached,
  type ReadModelStore,
} from '../../src/core/projection.js';
import { type UnderstoodBatch } from '../../src/core/logs/understood-log.js';
import { UnwritableDocument } from '../../src/core/unwritable-document.js';
import { type Mark, type Marks } from '../../src/core/marks.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';
import { isReflected, markedBy, newMarks, withMarks } from './marking.js';
import {
  changesOf,
  evolve,
  leftBy,
  loadDocumentSession,
  type DocumentSession,
  type Planned,
} from './document-session.js';
import { type RecentDocuments } from './recent-documents.js';
import { messageOf } from '../../src/core/concurrency/retry.js';

/** An event that a projection cannot apply, and why. */
export interface Poison {
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly reason: string;
}

/** `position` and `event` are those of the last event that the generation reflects now. */
export interface Applied extends Reached {
  /** Names of the read models that changed; a commit was made only if there are any. */
  readonly models: readonly string[];
  readonly events: number;
  readonly marks: Marks;
  /** Those of the marks that are new. */
  readonly marked: readonly Mark[];
  /** The events before it are applied. */
  readonly poison: Poison | null;
  /** What is still to be applied. */
  readonly rest: Applicable | null;
}

/** The registered types that the projection does not use. */
export function typesWithoutUse({ when }: AnyProjection, { types }: EventRegistry): readonly string[] {
  return types.filter((type) => !Object.hasOwn(when, type));
}

/** Whose read models are written, and where. */
interface Target {
  readonly store: ReadModelStore;
  readonly projection: AnyProjection;
  /** Left out: each batch loads all documents that it touches. */
  readonly recent?: RecentDocuments;
}

/** `unsupported` holds the events of streams that the projection makes something of. */
export type Applicable = LogPlace & Pick<Batch, 'events'> & Partial<Pick<UnderstoodBatch, 'unsupported'>>;

/**
 * Folds a batch in memory and writes it in one commit: the first part of it, if its documents are too large for one. Throws
 * what the store throws; what an event throws is its poison. The stream of an event that is not understood, or of which
 * a document cannot be written, is marked, and the others go on.
 */
export async function applyBatch(target: Target, progress: GenerationProgress, batch: Applicable): Promise<Applied> {
  const marked = [...newMarks(progress, batch.unsupported)];
  let end: End | null = null;
  for (;;) {
    const marks = new Map(marked.map((mark) => [mark.stream, mark]));
    const reflected = batch.events.filter((event) => isReflected(event, progress.marks) && isReflected(event, marks));
    const folded: Folded = await foldEvents(target, progress, before(reflected, end));
    end = folded.end ?? end;
    const events = before(reflected, end);
    const { position, event } = end === null ? batch : (lastOf(before(batch.events, end)) ?? progress);
    const known = marked.filter((mark) => position !== null && mark.position <= position);
    const changes = changesOf(target.projection.models, folded.session);
    const fault = await write(target, progress, changes, { position, event }, events, known);
    if (fault === null) {
      target.recent?.keep({ ...progress, position }, leftBy(folded.session));
      const models = [...new Set(changes.map(({ model }) => model.name))];
      return {
        ...{ position, event, models, events: events.length, ...leftOf(batch, end) },
        ...{ marks: withMarks(progress.marks, known), marked: known },
      };
    }
    marked.push(fault);
  }
}

function leftOf(batch: Applicable, end: End | null): Pick<Applied, 'poison' | 'rest'> {
  if (end === null || end.poison !== null) return { poison: end?.poison ?? null, rest: null };
  return { poison: null, rest: { ...batch, events: batch.events.filter(({ position }) => position >= end.position) } };
}

function before(events: readonly Recorded[], end: End | null): readonly Recorded[] {
  return end === null ? events : events.filter(({ position }) => position < end.position);
}

const endOf = (events: readonly Recorded[]): Position | null => lastOf(events)?.position ?? null;

function lastOf(events: readonly Recorded[]): Reached | undefined {
  const last = events.at(-1);
  return last && { position: last.position, event: last.id };
}

/** A document that cannot be written is the fault of its last event, not of the store. */
async function write(
  { store, projection }: Target,
  { generation }: GenerationProgress,
  changes: readonly Change[],
  reached: Reached,
  events: readonly Recorded[],
  marks: readonly Mark[],
): Promise<Mark | null> {
  if (changes.length === 0 && marks.length === 0) return null;
  try {
    await store.commit(projection.name, generation, changes, { version: projection.version, ...reached }, marks);
    return null;
  } catch (error) {
    if (!(error instanceof UnwritableDocument)) throw error;
    const change = changes.find(({ model, id }) => model.name === error.model && id === error.id);
    const event = events.find(({ position }) => position === change?.position);
    if (event === undefined) throw error;
    return markedBy(event, error.message);
  }
}

/** The first event that is not applied. Without a poison, the next part of the batch begins with it. */
interface End {
  readonly position: Position;
  readonly poison: Poison | null;
}

interface Folded {
  readonly session: DocumentSession;
  readonly end: End | null;
}

async function foldEvents(
  { store, projection, recent }: Target,
  progress: GenerationProgress,
  events: readonly Recorded[],
): Promise<Folded> {
  const { planned, end } = plan(projection, events);
  const { models } = projection;
  const known = recent?.taken(progress, endOf(events));
  const { session, fitting } = await loadDocumentSession({ store, models, progress, recent: known }, planned);
  for (const { event, effects } of planned.slice(0, fitting)) {
    try {
      evolve(event, effects, session);
    } catch (reason) {
      return { session, end: poisonedBy(event, reason) };
    }
  }
  const left = planned[fitting];
  return { session, end: left === undefined ? end : { position: left.event.position, poison: null } };
}

/** Of one part of a batch. The last event may have more. */
const MOST_EFFECTS = 10_000;

function plan(
  projection: AnyProjection,
  events: readonly Recorded[],
): Pick<Folded, 'end'> & { readonly planned: readonly Planned[] } {
  const planned: Planned[] = [];
  let count = 0;
  for (const event of events) {
    if (count >= MOST_EFFECTS) return { planned, end: { position: event.position, poison: null } };
    try {
      const effects = effectsOf(projection, event);
      count += effects.length;
      if (effects.length > 0) planned.push({ event, effects });
    } catch (reason) {
      return { planned, end: poisonedBy(event, reason) };
    }
  }
  return { planned, end: null };
}

/** What an event throws is an outcome like any other. */
function poisonedBy({ type, stream, revision, position }: Recorded, reason: unknown): End {
  return { position, poison: { type, stream, revision, position, reason: messageOf(reason) } };
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
