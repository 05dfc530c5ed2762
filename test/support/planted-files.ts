import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { NO_STREAM, type Position } from '../../src/core/event-log.js';
import { fileStream } from '../../src/files/file-events.js';
import { FILES } from '../../src/files/file-view.js';
import { type RunningService } from './service.js';

const AT_ONCE = 50;

interface Planted {
  /** Undefined: a temporary file. */
  readonly expected?: number;
  /** Of the piece that has come. */
  readonly size?: number;
  /** Of that piece: the file counts as having those before it, too. */
  readonly number?: number;
}

/** Files by their events alone, each with one piece of one byte, whatever its size is said to be. Answers their ids. */
export async function plantedFiles(
  { service }: Pick<RunningService, 'service'>,
  owner: number,
  count: number,
  { expected, size = 1, number = 1 }: Planted = {},
): Promise<readonly number[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => service.idsOf('file').next()));
  const metadata = { actor: owner, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
  const { digest } = await service.blobs.put(oneByte());
  const upload = async (fileId: number): Promise<Position> => {
    const words = { name: 'a', mediaType: 'text/plain', description: '' };
    const events = [
      { type: 'FileUploadStarted', data: { fileId, owner, ...words, expected: expected ?? null, fieldId: null } },
      { type: 'FileChunkAdded', data: { fileId, owner, number, digest, size } },
    ];
    const identified = events.map((event) => ({ ...event, id: randomUUID() }));
    return (await service.log.append(fileStream(fileId), NO_STREAM, identified, metadata)).position;
  };
  let last: Position | undefined;
  for (let from = 0; from < count; from += AT_ONCE) {
    const positions = await Promise.all(ids.slice(from, from + AT_ONCE).map(upload));
    last = positions.sort().at(-1);
  }
  if (last !== undefined) expect(await service.readModels.caughtUp(FILES, last, 60_000)).to.equal(true);
  return ids;
}

async function* oneByte(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('a'));
}
