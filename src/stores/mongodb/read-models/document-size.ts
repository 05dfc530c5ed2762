/** The largest document that the servers take, and how they refuse a larger one. */
import { BSON, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { type Change } from '../../../core/projection.js';
import { UnwritableDocument } from '../../../core/unwritable-document.js';
import { type StoredDocument } from './documents.js';

/** 16 MiB, with room for what the driver puts around a document that replaces another. */
const LARGEST_DOCUMENT = 16 * 1024 * 1024 - 16 * 1024;
/** Of a character in UTF-8, and of an element of a list besides its text. */
const MOST_BYTES = 3;
const MOST_OVERHEAD = 32;

/** Before a commit is announced: what follows would have to finish it. */
export function refuseOversized(change: Change, document: StoredDocument): void {
  if (MOST_BYTES * sizeOf(document) + MOST_OVERHEAD * elementsOf(document) < LARGEST_DOCUMENT) return;
  const size = BSON.calculateObjectSize(document);
  if (size <= LARGEST_DOCUMENT) return;
  throw new UnwritableDocument(change, `it has ${size} bytes, and MongoDB takes ${LARGEST_DOCUMENT}`);
}

/** In characters. */
export function sizeOf(document: StoredDocument): number {
  if ('gone' in document) return document._id.length;
  const { body, e, t } = document;
  return [e, t].flat().reduce((size, text) => size + text.length, body.length);
}

function elementsOf(document: StoredDocument): number {
  if ('gone' in document) return 1;
  const { e, t } = document;
  return 10 + e.length + t.length;
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
