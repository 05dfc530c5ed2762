/** One commit, step by step. A step that is repeated, or late, changes no document that is newer. */
import { type Position } from '../../../core/event-log.js';
import { type Mark } from '../../../core/marks.js';
import { type Change, type Checkpoint, type Generation, type Stored } from '../../../core/projection.js';
import { type Document } from '../../../core/read-models.js';
import { serialized, UnwritableDocument } from '../../../core/unwritable-document.js';
import { recordOf } from '../../shared/recorded-event.js';
import { storable, type Value } from '../../shared/well-formed-text.js';
import { sqliteCode } from '../connection.js';
import { type ReadModelFile } from './file.js';
import { tables, type Tables } from './schema.js';
import { compare, indexed, noIndexChanges, type IndexChanges } from './index/diff.js';
import { indexWrites } from './index/writer.js';
import { type KeyNumbers } from './index/key-numbers.js';
import { writeMarks } from './marks.js';

export interface Writer {
  readonly file: ReadModelFile;
  readonly keys: KeyNumbers;
  /** Whether the documents alone are written. */
  readonly isUnindexed: boolean;
}

type Steps = Generator<void, void, void>;

export function* commitSteps(
  writer: Writer,
  projection: string,
  generation: Generation,
  changes: readonly Change[],
  checkpoint: Checkpoint & { readonly marks: readonly Mark[] },
): Steps {
  const { file, isUnindexed } = writer;
  for (const [model, changed] of byModel(changes)) {
    yield* isUnindexed
      ? documentSteps(file, tables(generation, model), changed)
      : modelSteps(writer, generation, model, changed);
  }
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

/** What finds the documents, and their number, come once all are there. */
function* documentSteps(file: ReadModelFile, names: Tables, changes: readonly Change[]): Steps {
  const there = file.sql(`SELECT position, TRUE AS there FROM ${names.documents} WHERE id = ?`);
  const gone = file.sql(`SELECT position, FALSE AS there FROM ${names.gone} WHERE id = ?`);
  for (const change of changes) {
    const key = storable(change.id);
    const row = there.get(key) ?? gone.get(key);
    const version = row === undefined ? null : { position: row['position'] as Position, isThere: row['there'] === 1 };
    if (version !== null && version.position >= change.position) continue;
    // Entries that cannot be made are the fault of the document now.
    serialized(change, () => change.document && change.model.entries?.(change.document));
    fitting(change, () => writeDocument(file, names, change, version));
    yield;
  }
}

function* modelSteps(writer: Writer, generation: Generation, name: string, changes: readonly Change[]): Steps {
  const { file, keys } = writer;
  const names = tables(generation, name);
  const index = noIndexChanges();
  let documents = 0;
  for (const change of changes) {
    const stored = replacedBy(change, file, names);
    if (stored !== null && stored.position >= change.position) continue;
    documents += fitting(change, () => writeDocument(file, names, change, versionOf(stored)));
    compareEntries(change, stored?.document ?? null, keys.numberOf, index);
  }
  yield* indexWrites(file, names, index);
  if (documents === 0) return;
  file.sql('UPDATE models SET documents = documents + ? WHERE run = ? AND model = ?').run(documents, generation, name);
}

const replacedBy = ({ id, before }: Change, file: ReadModelFile, names: Tables): Stored | null =>
  before === undefined ? readStored(file, names, id) : before;

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

interface Version {
  readonly position: Position;
  readonly isThere: boolean;
}

function versionOf(stored: Stored | null): Version | null {
  return stored && { position: stored.position, isThere: stored.document !== null };
}

/** Answers by how much the number of documents changed. */
function writeDocument(file: ReadModelFile, names: Tables, change: Change, stored: Version | null): number {
  const { id, document, position } = change;
  const key = storable(id);
  if (document === null) {
    file.sql(`INSERT OR REPLACE INTO ${names.gone} VALUES (?, ?)`).run(key, position);
    return -Number(file.sql(`DELETE FROM ${names.documents} WHERE id = ?`).run(key).changes);
  }
  const body = serialized(change, () => JSON.stringify(document));
  if (stored?.isThere === true) {
    file.sql(`UPDATE ${names.documents} SET body = ?, position = ? WHERE id = ?`).run(body, position, key);
    return 0;
  }
  if (stored !== null) file.sql(`DELETE FROM ${names.gone} WHERE id = ?`).run(key);
  file.sql(`INSERT INTO ${names.documents} VALUES (?, ?, ?)`).run(key, body, position);
  return 1;
}

export function readStored(file: ReadModelFile, names: Tables, id: Value): Stored | null {
  const row = file.sql(`SELECT body, position FROM ${names.documents} WHERE id = ?`).get(storable(id));
  if (row !== undefined) {
    return { document: file.parse(row['body'] as string), position: row['position'] as Position };
  }
  const gone = file.sql(`SELECT position FROM ${names.gone} WHERE id = ?`).get(storable(id));
  return gone === undefined ? null : { document: null, position: gone['position'] as Position };
}
