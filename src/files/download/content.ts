/** The bytes of a file, put together from its pieces: for the API and for downloads. */
import { MissingBytes } from '../../core/blob-store.js';
import { type ChunkView, chunkViews, FILE_KEY, FROM_KEY, TO_KEY } from '../file-view.js';
import { type FilePorts } from '../ports.js';
import { checkedBytes, Spoilt } from '../verified-bytes.js';

type Ports = Pick<FilePorts, 'readModels' | 'blobs'>;

/** Pieces are looked up so many at a time. */
const PAGE = 20;

/** From one offset up to another, that one excluded; both inside the file. */
export async function* contentOf(file: number, from: number, to: number, ports: Ports): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const chunks = await chunksAfter(file, at, to, ports);
    for (const chunk of chunks) {
      yield* bytesOf(chunk, at, Math.min(to, chunk.to), ports);
      at = chunk.to;
    }
  }
}

/**
 * The digest is compared only if the whole piece is read. What a store has lost is said with the file and the remedy: the
 * operator knows neither by a digest.
 */
async function* bytesOf(
  { file, digest, from: start, to: end }: ChunkView,
  from: number,
  to: number,
  { blobs }: Ports,
): AsyncGenerator<Uint8Array> {
  const bytes = blobs.read(digest, from - start, to - start);
  try {
    yield* from === start && to === end ? checkedBytes(bytes, digest) : bytes;
  } catch (error) {
    if (!(error instanceof MissingBytes || error instanceof Spoilt)) throw error;
    const words = `file ${file} cannot be read; restore the blob ${digest} from a back-up`;
    throw new MissingBytes(words, { cause: error });
  }
}

async function chunksAfter(
  file: number,
  from: number,
  to: number,
  { readModels }: Ports,
): Promise<readonly ChunkView[]> {
  const { items } = await readModels.find(chunkViews, {
    where: [
      { type: 'any-of', key: FILE_KEY, values: [file] },
      { type: 'range', key: TO_KEY, above: from },
      { type: 'range', key: FROM_KEY, below: to },
    ],
    direction: 'asc',
    limit: PAGE,
    offset: 0,
  });
  if (items[0] === undefined || items[0].from > from) throw new Error(`A piece of the file ${file} is missing`);
  return items;
}

/** At most so many as fit in memory: a range of the contract's length. */
export async function gatheredContent(file: number, from: number, to: number, ports: Ports): Promise<Buffer> {
  const gathered: Uint8Array[] = [];
  for await (const bytes of contentOf(file, from, to, ports)) gathered.push(bytes);
  return Buffer.concat(gathered);
}
