/**
 * Generations that are filled keep their documents alone. What finds these is written when the generation is verified or
 * served for the first time, each document once, however often it has changed.
 */
import { type Generation, type Kept } from '../../../../core/projection.js';
import { type Document, type ReadModel } from '../../../../core/read-models.js';
import { serialQueue } from '../../../../core/concurrency/serial-queue.js';
import { storable } from '../../../shared/well-formed-text.js';
import { documentSlices } from '../document-slices.js';
import { type SqlValue } from '../../connection.js';
import { sortEntries } from './entry-runs.js';
import { gramsOfTexts } from './grams.js';
import { type ReadModelFile } from '../file.js';
import { tables } from '../schema.js';
import { emptyIndex, mirrorEntries } from './mirror.js';
import { compare, indexed, noIndexChanges, NOTHING, type IndexChanges } from './diff.js';
import { insertEntries, textWrites } from './writer.js';
import { type KeyNumbers } from './key-numbers.js';
import { type Stretches } from '../shared-transactions.js';

export interface Unindexed {
  readonly added: (generation: Generation) => Generation;
  readonly has: (generation: Generation) => boolean;
  /** What its documents are found by: they are of this read model. */
  readonly written: (generation: Generation, model: ReadModel<Document>) => void;
  readonly remove: (generation: Generation) => void;
  /**
   * Nothing happens where it has been indexed. `onRows` is called with the documents of each slice, and with 0
   * between other steps.
   */
  readonly index: (generation: Generation, onRows?: (rows: number) => void) => Promise<void>;
}

interface Indexing {
  readonly file: ReadModelFile;
  readonly keys: KeyNumbers;
  readonly inStretches: Stretches;
}

export function unindexedGenerations(around: Indexing): Unindexed {
  const models = new Map<Generation, Map<string, ReadModel<Document>>>();
  const oneByOne = serialQueue();
  return {
    added: (generation) => {
      models.set(generation, new Map());
      return generation;
    },
    has: (generation) => models.has(generation),
    written: (generation, model) => {
      models.get(generation)?.set(model.name, model);
    },
    remove: (generation) => {
      models.delete(generation);
    },
    index: (generation, onRows = () => undefined) =>
      oneByOne(async () => {
        const unindexed = models.get(generation);
        if (unindexed === undefined) return;
        for (const model of unindexed.values()) await indexModel(around, generation, model, onRows);
        mirrorAll(around.file, generation);
        models.delete(generation);
      }),
  };
}

function mirrorAll(file: ReadModelFile, generation: Generation): void {
  const mirror = (): void => {
    const models = file.sql('SELECT model FROM models WHERE run = ?').all(generation);
    for (const { model } of models) mirrorEntries(file, tables(generation, String(model)));
  };
  file.transaction('IMMEDIATE', mirror, false);
}

/** The entries by document, then those by value, which are sorted from them. The trigrams come from the texts. */
async function indexModel(
  { file, keys, inStretches }: Indexing,
  generation: Generation,
  model: ReadModel<Document>,
  onRows: (rows: number) => void,
): Promise<void> {
  const names = tables(generation, model.name);
  // Of a try that was cut short.
  emptyIndex(file, names);
  let total = 0;
  let index = emptyRows();
  const write = async (): Promise<void> => {
    await inStretches(insertEntries(file, names, index.entries), 'unserved');
    await inStretches(textWrites(file, names, index.texts), 'unserved');
    index = emptyRows();
  };
  for await (const slice of documentSlices(file, generation, model.name)) {
    addRows(index, model, slice, keys);
    if (index.size > MOST_SIZE || index.texts.textsWritten.length > MOST_TEXTS) await write();
    onRows(slice.length);
    total += slice.length;
  }
  await write();
  const reported = (steps: Iterator<unknown>): Promise<void> => inStretches(reporting(steps, onRows), 'unserved');
  await reported(gramsOfTexts(file, names));
  await sortEntries(file, names, reported);
  file.sql('UPDATE models SET documents = ? WHERE run = ? AND model = ?').run(total, generation, model.name);
}

/** `onRows` may throw to end the work. */
function* reporting(steps: Iterator<unknown>, onRows: (rows: number) => void): Generator<void, void, void> {
  while (steps.next().done !== true) {
    onRows(0);
    yield;
  }
}

/** Of one batch, in characters of its documents as JSON. */
const MOST_SIZE = 4 * 1024 * 1024;
/** Of one batch: one step sorts all of them. */
const MOST_TEXTS = 10_000;

interface Rows {
  readonly entries: SqlValue[];
  /** Without entries. */
  readonly texts: IndexChanges;
  size: number;
}

const emptyRows = (): Rows => ({ entries: [], texts: noIndexChanges(), size: 0 });

function addRows(rows: Rows, model: ReadModel<Document>, slice: readonly Kept[], keys: KeyNumbers): void {
  for (const { body } of slice) {
    rows.size += body.length;
    const document = documentIn(body);
    if (document === null) continue;
    const id = storable(document.id);
    const after = indexed({ model, id: document.id }, document, keys.numberOf);
    for (const [key, values] of after.entries) for (const value of values) rows.entries.push(id, key, value);
    compare(id, NOTHING, { ...NOTHING, texts: after.texts }, rows.texts);
  }
}

/** Null for what is no document: that it was damaged is found when all of them are read again. */
function documentIn(body: string): Document | null {
  try {
    return JSON.parse(body) as Document;
  } catch {
    return null;
  }
}
