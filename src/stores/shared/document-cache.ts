import { LRUCache } from 'lru-cache';
import { type Document } from '../../core/read-models.js';

/** In characters or bytes of the stored documents; what is made from it takes some times as much. */
const REMEMBERED_SIZE = 16 * 1024 * 1024;
/** Larger ones would take the place of many, and a page of them that of all. */
const LARGEST_REMEMBERED = 256 * 1024;

/** How a store keeps documents. */
export interface Bodies<Body> {
  readonly documentIn: (body: Body) => Document;
  readonly isSame: (one: Body, other: Body) => boolean;
  /** For keeping. */
  readonly copyOf: (body: Body) => Body;
}

export const JSON_TEXTS: Bodies<string> = {
  documentIn: (body) => JSON.parse(body) as Document,
  isSame: (one, other) => one === other,
  copyOf: (body) => body,
};

export type Parse<Body> = (model: string, id: Document['id'], body: Body) => Document;

/**
 * Makes documents from what is stored, but gives the same object again for what has not changed. The whole text is
 * compared, so the result is what was just read. Callers can keep derived values by the object.
 */
export function documentCache<Body extends { readonly length: number }>(bodies: Bodies<Body>): Parse<Body> {
  const known = new LRUCache<string, { readonly body: Body; readonly document: Document }>({
    maxSize: REMEMBERED_SIZE,
    maxEntrySize: LARGEST_REMEMBERED,
    sizeCalculation: ({ body }) => body.length,
  });
  return (model, id, body) => {
    const name = `${model} ${id}`;
    const earlier = known.get(name);
    if (earlier !== undefined && bodies.isSame(earlier.body, body)) return earlier.document;
    const document = bodies.documentIn(body);
    if (body.length <= LARGEST_REMEMBERED) known.set(name, { body: bodies.copyOf(body), document });
    return document;
  };
}
