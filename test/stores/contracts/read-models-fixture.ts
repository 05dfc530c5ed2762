import { expect } from 'chai';
import { type Position } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import {
  type Change,
  type Checkpoint,
  type Progress,
  type ReadModelStore,
  type Generation,
} from '../../../src/core/projection.js';
import {
  type Criterion,
  type Document,
  type IndexEntry,
  type OrderKey,
  type StartKey,
  type Query,
  type Range,
  type ReadModel,
  type ReadModels,
} from '../../../src/core/read-models.js';
import { foldText } from '../../../src/core/text/spelling.js';

/** Both sides of the read models over the same, still empty, place. */
export interface OpenedReadModels {
  readonly store: ReadModelStore;
  readonly models: ReadModels;
  /** What a runner reports after a commit. */
  readonly tell: (progress: Progress) => void;
  /** The same after a withdrawal, where readers do not find out by themselves. */
  readonly withdrawn?: () => void;
  readonly close: () => Promise<void>;
}

/** How much a contract writes and asks. A server that reads all documents for each it replaces takes its time. */
export interface Sizes {
  /** Documents, more than the adapter writes and reads at once. */
  readonly many: number;
  /** Of the properties. */
  readonly runs: number;
}

export const LARGE: Sizes = { many: 2500, runs: 60 };

export interface Note extends Document {
  readonly title?: string;
  readonly entries: readonly IndexEntry[];
}

export const notes: ReadModel<Note> = { name: 'notes', entries: ({ entries }) => entries };
export interface Author extends Document {
  readonly name: string;
}
export const authors: ReadModel<Author> = { name: 'author-names' };
export const MODELS = [notes.name, authors.name];
export const PROJECTION = 'notes';

export const at = (n: number): Position => n.toString(16).padStart(16, '0') as Position;

/** A checkpoint at the event there. */
export const reached = (n: number, version = 1): Checkpoint => ({ version, position: at(n), event: `event-${n}` });

export const note = (id: Document['id'], ...entries: readonly IndexEntry[]): Note => ({ id, entries });

export function written(document: Note, n: number): Change {
  return { model: notes, id: document.id, document, position: at(n) };
}

export function deleted(id: Document['id'], n: number): Change {
  return { model: notes, id, document: null, position: at(n) };
}

export const everything: Query = { where: [], direction: 'asc', limit: 1000, offset: 0 };

/** The writing of one run, the way the runner does it. */
export interface Writing {
  readonly run: Generation;
  readonly commit: (n: number, ...changes: readonly Change[]) => Promise<void>;
}

export async function openRun(store: ReadModelStore, version = 1, projection = PROJECTION): Promise<Writing> {
  const run = await store.open(projection, MODELS, version);
  return {
    run,
    commit: (n, ...changes) => store.commit(projection, run, changes, reached(n, version)),
  };
}

export async function servedRun(opened: OpenedReadModels): Promise<Writing> {
  const writing = await openRun(opened.store);
  await opened.store.serve(PROJECTION, writing.run);
  opened.tell({ projection: PROJECTION, generation: writing.run, position: at(0), models: MODELS });
  return {
    run: writing.run,
    commit: async (n, ...changes) => {
      await writing.commit(n, ...changes);
      const models = [...new Set(changes.map(({ model }) => model.name))];
      opened.tell({ projection: PROJECTION, generation: writing.run, position: at(n), models });
      // Until then, readers may still see what was there before.
      if (!(await opened.models.caughtUp(PROJECTION, at(n)))) throw new Error(`Readers do not see the commit at ${n}`);
    },
  };
}

/** Fills the place anew, and asks it. */
export function asking(opened: () => OpenedReadModels) {
  const find = async (query: Partial<Query>): Promise<{ ids: readonly Document['id'][]; total: number }> => {
    const { items, total } = await opened().models.find(notes, { ...everything, ...query });
    return { ids: items.map(({ id }) => id), total };
  };
  return {
    filled: async (...documents: readonly Note[]): Promise<void> => {
      const { commit } = await servedRun(opened());
      await commit(1, ...documents.map((document) => written(document, 1)));
    },
    find,
    ids: async (...criteria: readonly Criterion[]): Promise<readonly Document['id'][]> => {
      const found = await find({ where: criteria });
      expect(found.total).to.equal(found.ids.length);
      return found.ids;
    },
  };
}

/** What a reading throws while nothing is served. */
export async function expectNotServed(reading: Promise<unknown>): Promise<void> {
  const failure = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(failure).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
  expect(failure).to.have.property('retryAfter').that.is.a('number');
}

/** The meaning of a criterion, without any store. */
export function matches(entries: readonly IndexEntry[], criterion: Criterion): boolean {
  switch (criterion.type) {
    case 'and':
      return criterion.criteria.every((one) => matches(entries, one));
    case 'or':
      return criterion.criteria.some((one) => matches(entries, one));
    case 'not':
      return !matches(entries, criterion.criterion);
    case 'any-of':
    case 'range':
    case 'contains':
    case 'empty':
      return matchesUnder(
        entries.filter(({ key }) => key === criterion.key),
        criterion,
      );
  }
}

function matchesUnder(entries: readonly IndexEntry[], criterion: Extract<Criterion, { key: string }>): boolean {
  const values = entries.flatMap((entry) => ('value' in entry ? [entry.value] : []));
  switch (criterion.type) {
    case 'any-of':
      return values.some((value) => criterion.values.includes(value));
    case 'range':
      return values.some((value) => isWithin(value, criterion));
    case 'contains':
      return entries.some((entry) => 'text' in entry && foldText(entry.text).includes(foldText(criterion.text)));
    case 'empty':
      return entries.length === 0;
  }
}

function isWithin(value: number | string, { above, from, to, below }: Range): boolean {
  const bounds = [
    { bound: above, holds: (order: number) => order > 0 },
    { bound: from, holds: (order: number) => order >= 0 },
    { bound: to, holds: (order: number) => order <= 0 },
    { bound: below, holds: (order: number) => order < 0 },
  ].flatMap(({ bound, holds }) => (bound === undefined ? [] : [{ bound, holds }]));
  return typeof value === 'number' && bounds.every(({ bound, holds }) => holds(compareValues(value, bound)));
}

/** Numbers before texts, texts by their UTF-8. */
function compareValues(a: number | string, b: number | string): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === typeof b) return Number(a > b) - Number(a < b);
  return typeof a === 'number' ? -1 : 1;
}

export function startKeyOf({ id, entries }: Note, order: readonly OrderKey[]): StartKey {
  const values = order.map(({ key, direction }) => {
    const own = entries.flatMap((entry) => (entry.key === key && 'value' in entry ? [entry.value] : []));
    const sorted = own.sort(compareValues);
    return (direction === 'asc' ? sorted[0] : sorted.at(-1)) ?? null;
  });
  return { values, id };
}

/** As the documents of a query come one after the other. */
export function compareStartKeys(
  a: StartKey,
  b: StartKey,
  { order = [], direction }: Pick<Query, 'order' | 'direction'>,
): number {
  for (const [n, key] of order.entries()) {
    const found = compareAt(a.values[n] ?? null, b.values[n] ?? null, key);
    if (found !== 0) return found;
  }
  return compareValues(a.id, b.id) * (direction === 'asc' ? 1 : -1);
}

function compareAt(a: StartKey['values'][number], b: StartKey['values'][number], { direction }: OrderKey): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareValues(a, b) * (direction === 'asc' ? 1 : -1);
}
