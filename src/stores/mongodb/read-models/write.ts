/**
 * Writes what one commit changes. Without transactions, the position guards each document. An interrupted commit is
 * repeated, and a late one cannot overwrite newer data.
 */
import { BSON, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { type Change } from '../../../core/projection.js';
import { serialized, UnwritableDocument } from '../../../core/unwritable-document.js';
import { writeDeadline } from '../connection.js';
import { inserted } from '../duplicate-key.js';
import { stored, withIds, type Documents, type StoredDocument } from './documents.js';

/** By `_id`: the positions of what there is of the documents; empty for those that are not there. */
type ExistingVersions = ReadonlyMap<string, string>;

interface WrittenDocument {
  readonly change: Change;
  readonly document: StoredDocument;
}

/** What a commit does to one read model, by `_id`: each document once, at its last position. */
type Written = ReadonlyMap<string, WrittenDocument>;

/** In the order of the changes. Throws UnwritableDocument, before anything is written. */
export function byModel(changes: readonly Change[]): ReadonlyMap<string, Written> {
  const models = new Map<string, Map<string, WrittenDocument>>();
  for (const change of changes) {
    const document = fitting(
      change,
      serialized(change, () => stored(change)),
    );
    const written = models.get(change.model.name) ?? new Map<string, WrittenDocument>();
    models.set(change.model.name, written);
    const earlier = written.get(document._id)?.document.position ?? '';
    if (earlier < document.position) written.set(document._id, { change, document });
  }
  return models;
}

/** 16 MiB, with room for what the driver puts around a document that replaces another. */
const LARGEST_DOCUMENT = 16 * 1024 * 1024 - 16 * 1024;
/** Of a character in UTF-8. */
const MOST_BYTES = 3;
/** In characters: of a member, or an element of a list, besides its name and its text. */
const ELEMENT = 11;

/**
 * As BSON, or as JSON where only that has room: numbers in lists are shorter in it. Throws before a commit is announced:
 * what follows would have to finish it.
 */
function fitting(change: Change, whole: StoredDocument): StoredDocument {
  if (MOST_BYTES * sizeOf(whole) < LARGEST_DOCUMENT) return whole;
  const size = BSON.calculateObjectSize(whole);
  if (size <= LARGEST_DOCUMENT) return whole;
  if ('document' in whole) {
    const { document, ...others } = whole;
    return fitting(change, { ...others, body: JSON.stringify(document) });
  }
  throw new UnwritableDocument(change, `it has ${size} bytes, and MongoDB takes ${LARGEST_DOCUMENT}`);
}

/** In characters, or somewhat more. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return ELEMENT + value.length;
  if (typeof value !== 'object' || value === null) return ELEMENT;
  if (Array.isArray(value)) return value.reduce<number>((size, item) => size + sizeOf(item), ELEMENT);
  return Object.entries(value).reduce((size, [key, member]) => size + key.length + sizeOf(member), ELEMENT);
}

const SIZE_CODES = new Set<unknown>([
  10_334, // BSONObjectTooLarge
  17_280, // KeyTooLong
  17_419, // the document after an update
  17_420, // the document after a replacement
]);

/** The server, the driver or the buffer that the driver fills has no room for a document. */
export function isForSize(error: unknown): boolean {
  if (error instanceof MongoServerError) return SIZE_CODES.has(error.code);
  if (error instanceof MongoInvalidArgumentError) return error.message.includes('larger than the maximum size');
  return error instanceof RangeError;
}

export async function writeModel(collection: Documents, written: Written): Promise<void> {
  // It may be outdated: it says only which way is the shorter one.
  const existing = new Map([...written].map(([_id, { change }]) => [_id, change.before?.position ?? '']));
  for (const part of parts([...written.values()].map(({ document }) => document))) {
    try {
      await writePart(collection, part, existing);
    } catch (error) {
      const [largest] = part.toSorted((a, b) => sizeOf(b) - sizeOf(a));
      const { change } = written.get(largest?._id ?? '') ?? {};
      throw isForSize(error) && change !== undefined ? new UnwritableDocument(change, error) : error;
    }
  }
}

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
  collection: Documents,
  documents: readonly StoredDocument[],
  known: ExistingVersions,
): Promise<void> {
  let existing = known;
  const positionOf = ({ _id }: StoredDocument): string => existing.get(_id) ?? '';
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const older = documents.filter((document) => positionOf(document) < document.position);
    const missing = older.filter((document) => positionOf(document) === '');
    const outdated = older.filter((document) => positionOf(document) !== '');
    const [areInserted, areReplaced] = await Promise.all([
      insertAll(collection, missing),
      replaceAll(collection, outdated),
    ]);
    if (areInserted && areReplaced) return;
    existing = await existingVersions(
      collection,
      documents.map(({ _id }) => _id),
    );
  }
  throw new Error(`${collection.collectionName} is being written by somebody else`);
}

async function existingVersions(collection: Documents, ids: readonly string[]): Promise<ExistingVersions> {
  const rows = await collection
    .find(withIds(ids), { projection: { position: 1 }, batchSize: ids.length + 1 })
    .toArray();
  return new Map<string, string>([
    ...ids.map((id) => [id, ''] as const),
    ...rows.map(({ _id, position }) => [_id, position] as const),
  ]);
}

async function insertAll(collection: Documents, documents: readonly StoredDocument[]): Promise<boolean> {
  if (documents.length === 0) return true;
  return inserted(() => collection.insertMany(documents, { ordered: false, ...writeDeadline() }));
}

/** Small enough for servers that hold on to something for each of them until the last one is done. */
const MOST_REPLACEMENTS = 80;

/**
 * Whether each has replaced an older one. Where not, a newer one may be there, or none: a primary that steps down loses what
 * it alone has stored.
 */
async function replaceAll(collection: Documents, documents: readonly StoredDocument[]): Promise<boolean> {
  let replaced = 0;
  for (let at = 0; at < documents.length; at += MOST_REPLACEMENTS) {
    const replacements = documents.slice(at, at + MOST_REPLACEMENTS).map(({ _id, ...replacement }) => ({
      replaceOne: { filter: { _id, position: { $lt: replacement.position } }, replacement },
    }));
    const { matchedCount } = await collection.bulkWrite(replacements, { ordered: false, ...writeDeadline() });
    replaced += matchedCount;
  }
  return replaced === documents.length;
}
