/** The form of read models on MongoDB: one collection for each read model and generation. */
import {
  BSON,
  MongoServerError,
  type Abortable,
  type Collection,
  type Db,
  type Filter,
  type FindCursor,
  type FindOptions,
  type IndexDescription,
} from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { type Change, type Generation } from '../../../core/projection.js';
import { type Document } from '../../../core/read-models.js';
import { type Bodies } from '../../shared/document-cache.js';
import { entriesOf, sortable, type Entries } from './entries.js';

type LiveDocument = Entries & StoredBody & { readonly _id: string; readonly position: Position };

/** As BSON, which tools can read, or as JSON where that would not come back as it is, or not fit. */
type StoredBody = { readonly document: Document } | { readonly body: string };

/** Stays for as long as the generation, so that a write that comes late does not bring the document back. */
interface Tombstone {
  readonly _id: string;
  readonly position: Position;
  readonly gone: true;
}

export type StoredDocument = LiveDocument | Tombstone;

/** As it is read: the bytes of the BSON, or the JSON. */
export type Body = Uint8Array | string;

/** As it is read, with its body undecoded. */
export interface LiveRow {
  readonly _id: string;
  readonly position: Position;
  readonly body: Body;
}

export type Row = LiveRow | Tombstone;

export type Documents = Collection<StoredDocument>;
export type DocumentFilter = Filter<StoredDocument>;

export const isLive = (row: Row): row is LiveRow => 'body' in row;

/** A query walks the first in the order of ids; followers have one of their own. */
export const INDEXES: readonly IndexDescription[] = [{ key: { e: 1, _id: 1 } }, { key: { position: 1 } }];

export function collectionName(model: string, generation: Generation): string {
  if (!/^[a-z][a-z-]*$/.test(model)) throw new Error(`'${model}' is no name for a read model`);
  return `${model}.r${generation}`;
}

/** The generation of a collection of this read model; null for any other. */
export function generationIn(name: string, model: string): Generation | null {
  const digits = /^\.r(\d+)$/.exec(name.startsWith(model) ? name.slice(model.length) : '')?.[1];
  return digits === undefined ? null : Number(digits);
}

export function documentsOf(db: Db, model: string, generation: Generation): Documents {
  return db.collection<StoredDocument>(collectionName(model, generation));
}

export async function createDocuments(db: Db, model: string, generation: Generation): Promise<void> {
  await documentsOf(db, model, generation).createIndexes([...INDEXES]);
}

export function rowsIn(
  collection: Documents,
  filter: DocumentFilter,
  options: FindOptions & Abortable = {},
): FindCursor<Row> {
  const projection = { position: 1, document: 1, body: 1, gone: 1 };
  return collection.find<Uint8Array>(filter, { ...options, projection, raw: true }).map(rowIn);
}

/** Most bodies that are read have been read before: their bytes tell, and are not decoded again. */
function rowIn(bytes: Uint8Array): Row {
  const { document, ...row } = BSON.deserialize(bytes, { raw: true }) as Row & { readonly document?: Uint8Array };
  return document === undefined ? row : { ...row, body: document };
}

/** A single id is found by index on servers that scan for a list of ids, too. */
export function withIds(ids: readonly string[]): DocumentFilter {
  const [only, ...others] = ids;
  return only !== undefined && others.length === 0 ? { _id: only } : { _id: { $in: ids } };
}

/** Nothing happens where they are not there. */
export function dropDocuments(db: Db, model: string, generation: Generation): Promise<void> {
  return drop(documentsOf(db, model, generation));
}

/** Unreferenced ones too. */
export async function dropGenerations(
  db: Db,
  models: readonly string[],
  isUnwanted: (generation: Generation) => boolean,
): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    for (const model of new Set(models)) {
      const generation = generationIn(name, model);
      if (generation !== null && isUnwanted(generation)) await drop(db.collection(name));
    }
  }
}

async function drop(collection: { drop(): Promise<boolean> }): Promise<void> {
  try {
    await collection.drop();
  } catch (error) {
    const isGone = error instanceof MongoServerError && (error.code === 26 || error.message === 'ns not found');
    if (!isGone) throw error;
  }
}

export function stored({ model, id, document, position }: Change): StoredDocument {
  const _id = sortable(id);
  if (document === null) return { _id, position, gone: true };
  const body = comesBack(document, DEEPEST) ? { document } : { body: JSON.stringify(document) };
  return { _id, position, ...body, ...entriesOf(model, document) };
}

/** Servers take some hundred levels, the ones around the document included. */
const DEEPEST = 60;

/** What some server refuses or puts elsewhere, and what means something to the driver. */
const UNUSUAL_KEY = /^\$|^_id$|^_bsontype$|[.\0\p{Surrogate}]/u;
const HALF_PAIR = /\p{Surrogate}/u;

/** Whether BSON, on every server, gives the value back as JSON would. */
function comesBack(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return !HALF_PAIR.test(value);
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return typeof value === 'boolean';
  return value === null || (levels > 0 && partsComeBack(value, levels - 1));
}

/** Not every server takes a list within a list. */
function partsComeBack(value: object, levels: number): boolean {
  if (Array.isArray(value)) return value.every((item) => !Array.isArray(item) && comesBack(item, levels));
  return Object.entries(value).every(([key, member]) => !UNUSUAL_KEY.test(key) && comesBack(member, levels));
}

export const documentIn = (body: Body): Document =>
  (typeof body === 'string' ? JSON.parse(body) : BSON.deserialize(body)) as Document;

export const BODIES: Bodies<Body> = {
  documentIn,
  isSame: (one, other) =>
    typeof one === 'string' || typeof other === 'string' ? one === other : Buffer.compare(one, other) === 0,
  // The bytes of one document are a part of all that came with it.
  copyOf: (body) => (typeof body === 'string' ? body : Uint8Array.from(body)),
};
