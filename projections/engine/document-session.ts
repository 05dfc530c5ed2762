/** The documents that a batch touches, while its events are folded into them. */
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

interface Wanted {
  readonly model: ReadModel<Document>;
  /** With whether the document's own stream begins in the batch, so that nothing is stored of it. */
  readonly ids: Map<Document['id'], boolean>;
}

/**
 * Loads what is neither new nor recent. A document beyond the generation's position is of a commit that was cut short,
 * or is under way elsewhere: what is known without loading may then lack the rest of that commit.
 */
export async function loadDocumentSession(source: Source, planned: readonly Planned[]): Promise<DocumentSession> {
  const { progress, recent } = source;
  const wanted = wantedBy(planned);
  if (recent === undefined) return load(source, wanted, () => undefined);
  const session = await load(source, wanted, (model, id, isNew) => (isNew ? null : recent(model, id)));
  const isBeyond = ({ before }: TrackedDocument): boolean => isAfter(before?.position ?? null, progress.position);
  return documentsOf(session).some(isBeyond) ? load(source, wanted, () => undefined) : session;
}

function wantedBy(planned: readonly Planned[]): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { event, effects } of planned) {
    for (const { into: model, id } of effects) {
      const { ids } = wanted.get(model.name) ?? { ids: new Map<Document['id'], boolean>() };
      wanted.set(model.name, { model, ids });
      if (!ids.has(id)) ids.set(id, event.revision === 0 && event.stream === `${model.category}-${id}`);
    }
  }
  return wanted;
}

/**
 * In the reverse order of writing. If another worker writes meanwhile, each document that is seen was written after all
 * documents that are loaded later.
 */
async function load(
  { store, models, progress }: Source,
  wanted: ReadonlyMap<string, Wanted>,
  knownOf: (model: ReadModel<Document>, id: Document['id'], isNew: boolean) => Stored | null | undefined,
): Promise<DocumentSession> {
  const session = new Map<string, ReadonlyMap<Document['id'], TrackedDocument>>();
  for (const name of models.toReversed()) {
    const { model, ids } = wanted.get(name) ?? {};
    if (model === undefined || ids === undefined) continue;
    const known = new Map([...ids].map(([id, isNew]) => [id, knownOf(model, id, isNew)] as const));
    const unknown = [...ids.keys()].filter((id) => known.get(id) === undefined);
    const stored = unknown.length === 0 ? null : await store.load(progress.generation, model, unknown);
    const trackedOf = (id: Document['id']): TrackedDocument => {
      const before = known.get(id) ?? stored?.get(id) ?? null;
      return { model, id, before, document: before?.document ?? null, changed: null };
    };
    session.set(name, new Map([...ids.keys()].map((id) => [id, trackedOf(id)])));
  }
  return session;
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
