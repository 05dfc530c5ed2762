import { type Position } from '../../../core/event-log.js';
import { type Mark } from '../../../core/marks.js';
import {
  type Change,
  type Checkpoint,
  type ReadModelStore,
  type Generation,
  type Stored,
} from '../../../core/projection.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';
import { serialized, UnwritableDocument } from '../../../core/unwritable-document.js';
import { recordOf } from '../../shared/recorded-event.js';
import { sqliteCode } from '../connection.js';
import { documentSlices } from './document-slices.js';
import { compare, indexed, noIndexChanges, type IndexChanges } from './index-diff.js';
import { openReadModelFile, tables, type ReadModelFile, type Tables } from './file.js';
import { writeIndex } from './index-writer.js';
import { keyNumbers, type KeyNumbers } from './key-numbers.js';
import { marksIn, writeMarks } from './marks.js';
import { generationsOf } from './generations.js';
import { sharedTransactions } from './shared-transactions.js';
import { verifyModel } from './verify.js';
import { storable, type Value } from '../../shared/well-formed-text.js';

/** What was loaded for the commit that is to come, by model: it needs the same documents once more. Null for one that never was. */
type Loaded = Map<string, ReadonlyMap<Value, Stored | null>>;

/** The writing side of the embedded read models. One at a time; what an earlier one left half filled is removed. */
export function sqliteReadModelStore(directory: string): ReadModelStore & { close(): void } {
  const file = openReadModelFile(directory, 'write');
  const keys = keyNumbers(file);
  const generations = generationsOf(file);
  const transaction = sharedTransactions(file, keys.forget);
  const loaded = new Map<Generation, Loaded>();
  const loadedFor = (generation: Generation): Loaded => loaded.get(generation) ?? new Map<string, never>();
  generations.removeUnfinished();
  return {
    serving: (projection) => promised(() => generations.serving(projection)),
    checkpoint: (projection, generation) => promised(() => generations.checkpoint(projection, generation)),
    open: (projection, models, version) => promised(() => generations.open(projection, models, version)),
    load: (generation, model, ids) =>
      promised(() => {
        const earlier = loadedFor(generation);
        loaded.set(generation, earlier);
        return load(file, earlier, generation, model, ids);
      }),
    commit: (projection, generation, changes, checkpoint, marks = []) => {
      const writer = { file, keys, loaded: loadedFor(generation) };
      loaded.delete(generation);
      return transaction(() => {
        commit(writer, projection, generation, changes, { ...checkpoint, marks });
      });
    },
    marks: (_projection, generation) => promised(() => marksIn(file, generation)),
    documents: (generation, model) => documentSlices(file, generation, model),
    verify: async (_projection, generation, models, onRows = () => undefined) => {
      const findings: string[] = [];
      for (const model of models) findings.push(...(await verifyModel({ file, onRows }, generation, model)));
      return findings;
    },
    serve: (projection, generation) => promised(() => generations.serve(projection, generation)),
    withdraw: (projection) =>
      promised(() => {
        generations.withdraw(projection);
      }),
    discard: (projection, generation) =>
      promised(() => {
        loaded.delete(generation);
        generations.discard(projection, generation);
      }),
    close: () => {
      file.close();
    },
  };
}

function load(
  file: ReadModelFile,
  loaded: Loaded,
  generation: Generation,
  { name }: ReadModel<Document>,
  ids: readonly Document['id'][],
): ReadonlyMap<Document['id'], Stored> {
  const known = new Map(ids.map((id) => [id, readStored(file, tables(generation, name), id)] as const));
  loaded.set(name, known);
  return new Map([...known].flatMap(([id, found]) => (found === null ? [] : [[id, found] as const])));
}

function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

function readStored(file: ReadModelFile, names: Tables, id: Value): Stored | null {
  const row = file.sql(`SELECT body, position FROM ${names.documents} WHERE id = ?`).get(storable(id));
  if (row !== undefined) {
    return { document: JSON.parse(row['body'] as string) as Document, position: row['position'] as Position };
  }
  const gone = file.sql(`SELECT position FROM ${names.gone} WHERE id = ?`).get(storable(id));
  return gone === undefined ? null : { document: null, position: gone['position'] as Position };
}

interface Writer {
  readonly file: ReadModelFile;
  readonly keys: KeyNumbers;
  readonly loaded: Loaded;
}

function commit(
  writer: Writer,
  projection: string,
  generation: Generation,
  changes: readonly Change[],
  checkpoint: Checkpoint & { readonly marks: readonly Mark[] },
): void {
  const { file } = writer;
  for (const [model, changed] of byModel(changes)) writeModel(writer, generation, model, changed);
  writeMarks(file, generation, checkpoint.marks);
  file
    .sql(
      `UPDATE runs SET position = ?, event = coalesce(?, event)
         WHERE run = ? AND projection = ? AND (position IS NULL OR position <= ?)`,
    )
    .run(checkpoint.position, recordOf(checkpoint), generation, projection, checkpoint.position);
}

function byModel(changes: readonly Change[]): Map<string, Change[]> {
  const models = new Map<string, Change[]>();
  for (const change of changes) {
    const list = models.get(change.model.name) ?? [];
    list.push(change);
    models.set(change.model.name, list);
  }
  return models;
}

function writeModel(writer: Writer, generation: Generation, name: string, changes: readonly Change[]): void {
  const { file, keys, loaded } = writer;
  const names = tables(generation, name);
  const recent = new Map<Value, Stored | null>(loaded.get(name));
  const index = noIndexChanges();
  let documents = 0;
  for (const change of changes) {
    const known = recent.get(change.id);
    const stored = known === undefined ? readStored(file, names, change.id) : known;
    if (stored !== null && stored.position >= change.position) continue;
    documents += fitting(change, () => writeDocument(file, names, change, stored));
    compareEntries(change, stored?.document ?? null, keys.numberOf, index);
    recent.set(change.id, change);
  }
  writeIndex(file, names, index);
  if (documents === 0) return;
  file.sql('UPDATE models SET documents = documents + ? WHERE run = ? AND model = ?').run(documents, generation, name);
}

/** SQLite takes a text of at most a billion bytes. */
const SQLITE_TOOBIG = 18;

function fitting<T>(change: Change, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw sqliteCode(error) === SQLITE_TOOBIG ? new UnwritableDocument(change, error) : error;
  }
}

function compareEntries(
  change: Change,
  before: Document | null,
  numberOf: (key: string) => number,
  index: IndexChanges,
): void {
  const entriesOf = (state: Document | null): ReturnType<typeof indexed> => indexed(change, state, numberOf);
  compare(storable(change.id), entriesOf(before), entriesOf(change.document), index);
}

/** Answers by how much the number of documents changed. */
function writeDocument(file: ReadModelFile, names: Tables, change: Change, stored: Stored | null): number {
  const { id, document, position } = change;
  const key = storable(id);
  if (document === null) {
    file.sql(`INSERT OR REPLACE INTO ${names.gone} VALUES (?, ?)`).run(key, position);
    return -Number(file.sql(`DELETE FROM ${names.documents} WHERE id = ?`).run(key).changes);
  }
  const body = serialized(change, () => JSON.stringify(document));
  if (stored !== null && stored.document !== null) {
    file.sql(`UPDATE ${names.documents} SET body = ?, position = ? WHERE id = ?`).run(body, position, key);
    return 0;
  }
  if (stored !== null) file.sql(`DELETE FROM ${names.gone} WHERE id = ?`).run(key);
  file.sql(`INSERT INTO ${names.documents} VALUES (?, ?, ?)`).run(key, body, position);
  return 1;
}
