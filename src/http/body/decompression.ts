import { promisify } from 'node:util';
import { brotliDecompress, unzip, type ZlibOptions } from 'node:zlib';
import { concurrencyLimit } from '../../core/concurrency/concurrency-limit.js';
import { Problem, temporarilyUnavailable } from '../../core/problem.js';

/** A decompressor takes up to 17 MiB. */
const inTurn = concurrencyLimit({
  most: 4,
  mostWaiting: 1000,
  patienceMs: 10_000,
  refused: () => temporarilyUnavailable('Too many compressed bodies are under way; retry later'),
});

type Method = (compressed: Buffer, options: Pick<ZlibOptions, 'maxOutputLength'>) => Promise<Buffer>;

/** Of a whole body: one that stalls would hold a decompressor. The wait for its turn ends when the signal aborts. */
export type Decompress = (compressed: Buffer, maxOutputLength: number, gone: AbortSignal) => Promise<Buffer>;

/** Undefined if the body is not compressed. */
export function decompression(contentEncoding = 'identity'): Decompress | undefined {
  switch (contentEncoding.toLowerCase()) {
    case 'identity':
      return undefined;
    case 'gzip':
    case 'deflate':
      return decompressingBy(promisify(unzip));
    case 'br':
      return decompressingBy(promisify(brotliDecompress));
    default:
      throw new Problem('unsupported', 'Unsupported Content-Encoding; use gzip, deflate, br or identity');
  }
}

const decompressingBy =
  (method: Method): Decompress =>
  (compressed, maxOutputLength, gone) =>
    inTurn(() => method(compressed, { maxOutputLength }), gone);
