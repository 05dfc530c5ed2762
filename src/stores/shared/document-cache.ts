import { LRUCache } from 'lru-cache';
import { type Document } from '../../core/read-models.js';

/** In characters of the documents' JSON; what it is parsed to takes some times as much. */
const REMEMBERED_SIZE = 16 * 1024 * 1024;
/** Larger ones would take the place of many, and a page of them that of all. */
const LARGEST_REMEMBERED = 256 * 1024;

interface Known {
  readonly body: string;
  readonly document: Document;
}

/**
 * Parses documents, but gives the same object again for a text that has not changed. The text itself is compared, so
 * what was read just now is what comes back; and whoever derives something from a document can keep it by the object.
 */
export function documentCache(): (model: string, id: Document['id'], body: string) => Document {
  const known = new LRUCache<string, Known>({
    maxSize: REMEMBERED_SIZE,
    maxEntrySize: LARGEST_REMEMBERED,
    sizeCalculation: ({ body }) => body.length,
  });
  return (model, id, body) => {
    const name = `${model} ${id}`;
    const earlier = known.get(name);
    if (earlier?.body === body) return earlier.document;
    const document = JSON.parse(body) as Document;
    known.set(name, { body, document });
    return document;
  };
}
