/** The largest document that the servers take, and how they refuse a larger one. */
import { BSON, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { type Change } from '../../../core/projection.js';
import { UnwritableDocument } from '../../../core/unwritable-document.js';
import { asJson, type StoredDocument } from './documents.js';

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
export function fitting(change: Change, document: StoredDocument): StoredDocument {
  if (MOST_BYTES * sizeOf(document) < LARGEST_DOCUMENT) return document;
  const size = BSON.calculateObjectSize(document);
  if (size <= LARGEST_DOCUMENT) return document;
  if ('document' in document) return fitting(change, asJson(document));
  throw new UnwritableDocument(change, `it has ${size} bytes, and MongoDB takes ${LARGEST_DOCUMENT}`);
}

/** In characters, or somewhat more. */
export function sizeOf(value: unknown): number {
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
