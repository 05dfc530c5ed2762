import { MissingBytes, type Digest } from '../../core/blob-store.js';

/** Throws at the end if bytes are missing: what a fault of a disk has cut short is not served as whole. */
export async function* wholeRange(
  bytes: AsyncIterable<Uint8Array>,
  digest: Digest,
  length: number,
): AsyncGenerator<Uint8Array> {
  let missing = length;
  for await (const piece of bytes) {
    missing -= piece.byteLength;
    yield piece;
  }
  if (missing > 0) throw new MissingBytes(`The blob ${digest} lacks ${missing} of ${length} bytes`);
}
