/** Documents as they are stored: as BSON, which tools can read, or as JSON where that would not come back as it is, or not fit. */
import { BSON } from 'mongodb';
import { type Document } from '../../../core/read-models.js';
import { type Bodies } from '../../shared/document-cache.js';

export type StoredBody = { readonly document: Document } | { readonly body: string };

/** As it is read: the bytes of the BSON, or the JSON. */
export type Body = Uint8Array | string;

export function storedBody(document: Document): StoredBody {
  return comesBack(document, DEEPEST) ? { document } : { body: JSON.stringify(document) };
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

export const jsonIn = (body: Body): string => (typeof body === 'string' ? body : JSON.stringify(documentIn(body)));

export const BODIES: Bodies<Body> = {
  documentIn,
  isSame: (one, other) =>
    typeof one === 'string' || typeof other === 'string' ? one === other : Buffer.compare(one, other) === 0,
  // The bytes of one document are a part of all that came with it.
  copyOf: (body) => (typeof body === 'string' ? body : Uint8Array.from(body)),
};
