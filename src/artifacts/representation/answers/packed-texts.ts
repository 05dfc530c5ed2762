/** Texts of JSON, compressed: pages take a tenth of their memory or less. */
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { type Parts } from '../../../http/send-json.js';

export interface Packed {
  readonly bytes: Uint8Array;
  /** In bytes, of the text. */
  readonly size: number;
}

/** The fastest: an eighth of the time that it takes to make a page. */
const LEVEL = 1;

/** On a thread of Node. */
export async function pack(parts: Parts): Promise<Packed> {
  const text = Buffer.from(parts.join(''));
  const bytes = await promisify(deflateRaw)(text, { level: LEVEL });
  // What zlib gives holds the memory of a whole chunk.
  return { bytes: new Uint8Array(bytes), size: text.length };
}

/** At once: a page of 368 kB takes half a millisecond. */
export const unpack = ({ bytes, size }: Packed): string =>
  inflateRawSync(bytes, { chunkSize: Math.max(64, size) }).toString();
