/**
 * Writes what one commit changes. Without transactions, the position guards each document. An interrupted commit is
 * repeated, and a late one cannot overwrite newer data.
 */
import { type Collection } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { type Change, type Generation } from '../../../core/projection.js';
import { serialized, UnwritableDocument } from '../../../core/unwritable-document.js';
import { insertedAll } from '../duplicate-key.js';
import { documentsOf, stored, withIds, type StoredDocument } from './documents.js';
import { type Fence } from './fenced-updates.js';
import { fitting, isForSize, sizeOf } from './document-size.js';
import { writeDeadline } from '../connection.js';

/** By `_id`: what there is of the documents; null for those that are not there. */
export type ExistingVersions = ReadonlyMap<string, StoredVersion | null>;

export interface StoredVersion {
  readonly position: Position;
}

/** What a commit does to one read model: each document once, at its last position. */
export interface Written {
  readonly model: string;
  readonly documents: ReadonlyMap<string, StoredDocument>;
  /** By `_id`: of which change each document is. */
  readonly changes: ReadonlyMap<string, Change>;
}

/** In the order of the changes. Throws UnwritableDocument, before anything is written. */
export function byModel(changes: readonly Change[]): readonly Written[] {
  const models = new Map<string, { documents: Map<string, StoredDocument>; changes: Map<string, Change> }>();
  for (const change of changes) {
    const known = models.get(change.model.name) ?? {
      documents: new Map<string, StoredDocument>(),
      changes: new Map<string, Change>(),
    };
    models.set(change.model.name, known);
    const document = fitting(
      change,
      serialized(change, () => stored(change)),
    );
    const earlier = known.documents.get(document._id);
    if (earlier !== undefined && earlier.position >= document.position) continue;
    known.documents.set(document._id, document);
    known.changes.set(document._id, change);
  }
  return [...models].map(([model, known]) => ({ model, ...known }));
}

/** `existing` may be outdated: it says only which way is the shorter one. */
export async function writeModel(
  { db }: Fence,
  generation: Generation,
  { model, documents, changes }: Written,
  existing: ExistingVersions,
): Promise<void> {
  const collection = documentsOf(db, model, generation);
  for (const part of parts([...documents.values()])) {
    try {
      await writePart(collection, part, existing);
    } catch (error) {
      const change = changes.get(largest(part)?._id ?? '');
      throw isForSize(error) && change !== undefined ? new UnwritableDocument(change, error) : error;
    }
  }
}

const largest = (part: readonly StoredDocument[]): StoredDocument | undefined =>
  part.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];

const MOST_OPERATIONS = 500;
/** In characters of what is stored. */
const LARGEST_PART = 4 * 1024 * 1024;

export function* parts(documents: readonly StoredDocument[]): Generator<readonly StoredDocument[]> {
  let part: StoredDocument[] = [];
  let size = 0;
  for (const document of documents) {
    const own = sizeOf(document);
    if (part.length === MOST_OPERATIONS || (part.length > 0 && size + own > LARGEST_PART)) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(document);
    size += own;
  }
  if (part.length > 0) yield part;
}

/** A refused try reads the reason, so the next try succeeds unless another writer was faster. */
const MOST_TRIES = 5;

async function writePart(
  collection: Collection<StoredDocument>,
  documents: readonly StoredDocument[],
  known: ExistingVersions,
): Promise<void> {
  let existing = known;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const older = documents.filter(({ _id, position }) => (existing.get(_id)?.position ?? '') < position);
    const missing = older.filter(({ _id }) => (existing.get(_id) ?? null) === null);
    const outdated = older.filter(({ _id }) => (existing.get(_id) ?? null) !== null);
    const [inserted] = await Promise.all([insertAll(collection, missing), replaceAll(collection, outdated)]);
    if (inserted) return;
    existing = await existingVersions(
      collection,
      documents.map(({ _id }) => _id),
    );
  }
  throw new Error(`${collection.collectionName} is being written by somebody else`);
}

export async function existingVersions(
  collection: Collection<StoredDocument>,
  ids: readonly string[],
): Promise<ExistingVersions> {
  const rows = await collection
    .find(withIds(ids), { projection: { position: 1 }, batchSize: ids.length + 1 })
    .toArray();
  const found = new Map(rows.map((row) => [row._id, row]));
  return new Map(ids.map((id) => [id, found.get(id) ?? null]));
}

async function insertAll(
  collection: Collection<StoredDocument>,
  documents: readonly StoredDocument[],
): Promise<boolean> {
  if (documents.length === 0) return true;
  return insertedAll(() => collection.insertMany(documents, { ordered: false, ...writeDeadline() }));
}

/** Small enough for servers that hold on to something for each of them until the last one is done. */
const MOST_REPLACEMENTS = 80;

/** Documents are never taken away, so what was there once is there, and the guard alone decides. */
async function replaceAll(collection: Collection<StoredDocument>, documents: readonly StoredDocument[]): Promise<void> {
  for (let at = 0; at < documents.length; at += MOST_REPLACEMENTS) {
    const replacements = documents.slice(at, at + MOST_REPLACEMENTS).map(({ _id, ...replacement }) => ({
      replaceOne: { filter: { _id, position: { $lt: replacement.position } }, replacement },
    }));
    await collection.bulkWrite(replacements, { ordered: false, ...writeDeadline() });
  }
}
