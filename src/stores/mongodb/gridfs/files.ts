/**
 * Files in the form of GridFS, so that its tools know them. The driver's own streams are not used: they read up to 16 MB
 * ahead, through a cursor that a change of servers ends, and may still be writing after they have failed.
 */
import { type Collection, type Db, type ObjectId } from 'mongodb';
import { MissingBytes } from '../../../core/blob-store.js';
import { writeDeadline } from '../connection.js';

/** How much of a file is in memory at a time. */
const CHUNK_SIZE = 1024 * 1024;

export interface GridFsFile {
  readonly _id: ObjectId;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
}

interface Chunk {
  /** Made of the file and the number, because every server finds one text at once. */
  readonly _id: string;
  readonly files_id: ObjectId;
  readonly n: number;
  readonly data: Uint8Array;
}

export interface GridFsFiles {
  /** Makes the indexes. */
  prepare(): Promise<void>;
  /** One insert at a time: after one that has failed comes no other. The name may be one that the bytes have to tell. */
  write(
    id: ObjectId,
    bytes: AsyncIterable<Uint8Array>,
    described: () => Pick<GridFsFile, 'filename' | 'uploadDate'>,
  ): Promise<GridFsFile>;
  /** Fails, at once or midway, when the bytes are not there. */
  read(file: Pick<GridFsFile, '_id' | 'chunkSize'>, from: number, to: number): AsyncGenerator<Uint8Array>;
  /** Of a file that was written to its end. False from the beginning of its removal. */
  exists(id: ObjectId): Promise<boolean>;
  /** Also one that was not written to its end. */
  remove(id: ObjectId): Promise<void>;
}

export function gridFsFiles(db: Db, bucket: string): GridFsFiles {
  const files = db.collection<GridFsFile>(`${bucket}.files`);
  const chunks = db.collection<Chunk>(`${bucket}.chunks`);
  return {
    prepare: async () => {
      await files.createIndex({ filename: 1, uploadDate: 1 }, {}, {});
      await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true }, {});
    },

    write: async (id, bytes, described) => {
      let [n, length] = [0, 0];
      for await (const data of inChunks(bytes)) {
        await chunks.insertOne({ _id: chunkId(id, n), files_id: id, n, data }, writeDeadline());
        n += 1;
        length += data.byteLength;
      }
      const file = { _id: id, length, chunkSize: CHUNK_SIZE, ...described() };
      await files.insertOne(file);
      return file;
    },

    read: ({ _id, chunkSize }, from, to) => read(chunks, _id, chunkSize, from, to),

    exists: async (id) => (await files.findOne({ _id: id })) !== null,

    remove: async (id) => {
      await files.deleteOne({ _id: id });
      await chunks.deleteMany({ files_id: id });
    },
  };
}

const chunkId = (file: ObjectId, n: number): string => `${file.toHexString()}.${n}`;

/** Each is full but the last, and good until the next one is asked for. */
async function* inChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const room = Buffer.allocUnsafe(CHUNK_SIZE);
  let filled = 0;
  for await (const piece of bytes) {
    for (let from = 0; from < piece.byteLength;) {
      const part = piece.subarray(from, from + CHUNK_SIZE - filled);
      room.set(part, filled);
      filled += part.byteLength;
      from += part.byteLength;
      if (filled < CHUNK_SIZE) continue;
      yield room;
      filled = 0;
    }
  }
  if (filled > 0) yield room.subarray(0, filled);
}

/** A look-up for each chunk, once it is asked for: a slow reader holds nothing on the server. */
async function* read(
  chunks: Collection<Chunk>,
  id: ObjectId,
  chunkSize: number,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const n = Math.floor(at / chunkSize);
    const chunk = await chunks.findOne({ _id: chunkId(id, n) }, { promoteBuffers: true });
    if (chunk === null) throw new MissingBytes(`Chunk ${n} of file ${id.toHexString()} is missing`);
    const start = n * chunkSize;
    yield chunk.data.subarray(at - start, to - start);
    at = start + chunkSize;
  }
}
