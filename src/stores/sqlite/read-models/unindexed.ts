/**
 * Generations that are filled keep their documents alone. What finds these is written when the generation is verified or
 * served for the first time, each document once, however often it has changed.
 */
import { type Generation } from '../../../core/projection.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';
import { storable } from '../../shared/well-formed-text.js';
import { documentSlices } from './document-slices.js';
import { tables, type ReadModelFile } from './file.js';
import { compare, indexed, noIndexChanges, NOTHING, type IndexChanges } from './index-diff.js';
import { indexWrites } from './index-writer.js';
import { type KeyNumbers } from './key-numbers.js';
import { STRETCH_MS, type Stretches } from './shared-transactions.js';

/** Documents whose entries are sorted together: in the order of their table, they fall into few of its pages. */
const SORTED_TOGETHER = 1000;

export interface Unindexed {
  readonly added: (generation: Generation) => Generation;
  readonly has: (generation: Generation) => boolean;
  /** What its documents are found by: they are of this read model. */
  readonly written: (generation: Generation, model: ReadModel<Document>) => void;
  readonly remove: (generation: Generation) => void;
  /** Nothing happens where it has been indexed. `onRows` is called with the documents of each slice. */
  readonly index: (generation: Generation, onRows?: (rows: number) => void) => Promise<void>;
}

interface Indexing {
  readonly file: ReadModelFile;
  readonly keys: KeyNumbers;
  readonly inStretches: Stretches;
}

export function unindexedGenerations(around: Indexing): Unindexed {
  const models = new Map<Generation, Map<string, ReadModel<Document>>>();
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
    index: async (generation, onRows = () => undefined) => {
      for (const model of models.get(generation)?.values() ?? []) await indexModel(around, generation, model, onRows);
      models.delete(generation);
    },
  };
}

async function indexModel(
  { file, keys, inStretches }: Indexing,
  generation: Generation,
  model: ReadModel<Document>,
  onRows: (rows: number) => void,
): Promise<void> {
  const names = tables(generation, model.name);
  // Of a try that was cut short.
  const { entries, texts, grams, counts, text_counts: textCounts } = names;
  for (const table of [entries, texts, grams, counts, textCounts]) file.sql(`DELETE FROM ${table}`).run();
  let [changes, documents, total] = [noIndexChanges(), 0, 0];
  const write = async (): Promise<void> => {
    await inStretches(indexWrites(file, names, changes), STRETCH_MS);
    [changes, documents, total] = [noIndexChanges(), 0, total + documents];
  };
  for await (const slice of documentSlices(file, generation, model.name)) {
    for (const { body } of slice) add(model, documentIn(body), keys, changes);
    onRows(slice.length);
    documents += slice.length;
    if (documents >= SORTED_TOGETHER) await write();
  }
  await write();
  file.sql('UPDATE models SET documents = ? WHERE run = ? AND model = ?').run(total, generation, model.name);
}

function add(model: ReadModel<Document>, document: Document | null, keys: KeyNumbers, changes: IndexChanges): void {
  if (document === null) return;
  const { id } = document;
  compare(storable(id), NOTHING, indexed({ model, id }, document, keys.numberOf), changes);
}

/** Null for what is no document: that it was damaged is found when all of them are read again. */
function documentIn(body: string): Document | null {
  try {
    return JSON.parse(body) as Document;
  } catch {
    return null;
  }
}
