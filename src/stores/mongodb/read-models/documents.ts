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
import { storedBody, type Body, type StoredBody } from './bodies.js';
import { entriesOf, sortable, type Entries } from './entries.js';

type LiveDocument = Entries & StoredBody & { readonly _id: string; readonly position: Position };

/** Stays for as long as the generation, so that a write that comes late does not bring the document back. */
interface Tombstone {
  readonly _id: string;
  readonly position: Position;
  readonly gone: true;
}

export type StoredDocument = LiveDocument | Tombstone;

/** As it is read, with its body undecoded. */
export type Row = { readonly _id: string; readonly position: Position; readonly body: Body } | Tombstone;

/** A query walks the first in the order of ids; followers have one of their own. */
export const INDEXES: readonly IndexDescription[] = [{ key: { e: 1, _id: 1 } }, { key: { position: 1 } }];

export function collectionName(model: string, generation: Generation): string {
  if (!/^[a-z][a-z-]*$/.test(model)) throw new Error(`'${model}' is no name for a read model`);
  return `${model}.r${generation}`;
}

/** The generation of a collection of this read model; null for any other. Earlier releases kept counts beside it. */
export function generationIn(name: string, model: string): Generation | null {
  const digits = /^\.r(\d+)(?:\.tallies)?$/.exec(name.startsWith(model) ? name.slice(model.length) : '')?.[1];
  return digits === undefined ? null : Number(digits);
}

export function documentsOf(db: Db, model: string, generation: Generation): Collection<StoredDocument> {
  return db.collection<StoredDocument>(collectionName(model, generation));
}

export async function createDocuments(db: Db, model: string, generation: Generation): Promise<void> {
  await documentsOf(db, model, generation).createIndexes([...INDEXES]);
}

export function rowsIn(
  collection: Collection<StoredDocument>,
  filter: Filter<StoredDocument>,
  options: FindOptions & Abortable = {},
): FindCursor<Row> {
  const projection = { position: 1, document: 1, body: 1, gone: 1 };
  return collection.find<Uint8Array>(filter, { ...options, projection, raw: true }).map(rowIn);
}

export async function rowOf(collection: Collection<StoredDocument>, _id: string): Promise<Row | null> {
  const [row] = await rowsIn(collection, { _id }).toArray();
  return row ?? null;
}

/** Most bodies that are read have been read before: their bytes tell, and are not decoded again. */
function rowIn(bytes: Uint8Array): Row {
  const { document, ...row } = BSON.deserialize(bytes, { raw: true }) as Row & { readonly document?: Uint8Array };
  return document === undefined ? row : { ...row, body: document };
}

/** A single id is found by index on servers that scan for a list of ids, too. */
export function withIds(ids: readonly string[]): Filter<StoredDocument> {
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
  return { _id, position, ...storedBody(document), ...entriesOf(model, document) };
}

export function asJson({ document, ...others }: Extract<StoredDocument, { document: Document }>): StoredDocument {
  return { ...others, body: JSON.stringify(document) };
}
