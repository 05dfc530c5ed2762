import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { type BlobStore } from '../../src/core/blob-store.js';
import {
  type EventLog,
  type Metadata,
  type NewEvent,
  type Position,
  type Recorded,
  type StreamName,
} from '../../src/core/event-log.js';
import { type FileEvent, fileStream } from '../../src/files/file-events.js';
import { migrate, type MigrationResult, type Notice, type Target } from '../../src/migration/migrate.js';
import { directoryBlobStore } from '../../src/stores/filesystem/blob-store.js';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { chunksOf, sha256 } from '../stores/contracts/blob-store.contract.js';
import { onDouble, type OnDouble } from '../support/eventstoredb/opened.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** One side of a migration, either as source or as target. */
export interface Side extends Target {
  /** Where its files are. */
  readonly path: string;
  /** The ends that its log had when it was told to forget its read models. */
  readonly forgotten: readonly (Position | null)[];
  /** Whether a service may use it. */
  readonly isUsable: () => boolean;
  readonly close: () => Promise<void>;
}

export async function embedded(): Promise<Side> {
  const { path, remove } = await temporaryDirectory();
  const log = await sqliteEventLog(path);
  return side(path, log, async () => {
    await log.close();
    await remove();
  });
}

export async function production(): Promise<Side & Pick<OnDouble, 'double'>> {
  const { path, remove } = await temporaryDirectory();
  const { double, log, close } = await onDouble({ timing: { patience: 10_000, call: 5000 } });
  const opened = await side(path, log, async () => {
    await close();
    await remove();
  });
  return { ...opened, double };
}

/** For the sides that one spec opens. */
export function sides() {
  const opened: Side[] = [];
  return {
    open: async <S extends Side>(opening: () => Promise<S>): Promise<S> => {
      const one = await opening();
      opened.push(one);
      return one;
    },
    closeAll: async (): Promise<void> => {
      for (const one of opened.splice(0)) await one.close();
    },
  };
}

async function side(path: string, log: EventLog, close: () => Promise<void>): Promise<Side> {
  const forgotten: (Position | null)[] = [];
  let isUsable = true;
  return {
    path,
    log,
    blobs: await directoryBlobStore(join(path, 'blobs'), () => new Date()),
    begin: async () => {
      isUsable = false;
      forgotten.push(await log.end());
    },
    complete: async () => {
      isUsable = true;
      await Promise.resolve();
    },
    isUsable: () => isUsable,
    forgotten,
    close,
  };
}

const at = '2026-03-01T12:00:00.000Z';

export const facts = (commandId: string = randomUUID()): Metadata => ({ actor: 7, at, schema: 1, commandId });

/** Something that some command did to one stream. */
export interface Deed {
  readonly stream: StreamName;
  readonly events: readonly { readonly type: string; readonly data: object }[];
  readonly metadata: Metadata;
  /** Of a piece of a file that is uploaded. */
  readonly bytes: string | null;
}

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });

const metadata: fc.Arbitrary<Metadata> = fc.record(
  {
    actor: fc.option(fc.nat()),
    at: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
      .map((date) => date.toISOString()),
    schema: fc.integer({ min: 1, max: 3 }),
    commandId: fc.string(),
    requestId: fc.string(),
    definition: fc.nat(),
  },
  { requiredKeys: ['actor', 'at', 'schema', 'commandId'] },
);

const event = fc.record({
  type: fc.constantFrom('ArtifactSubmitted', 'OfATypeThatNobodyKnows', 'Größe🚲'),
  data: json,
});

const plain: fc.Arbitrary<Deed> = fc.record({
  stream: fc.constantFrom<StreamName>('artifact-1', 'artifact-2', 'project-x-y', 'Ünïcode-🚲'),
  events: fc.array(event, { minLength: 1, maxLength: 3 }),
  metadata,
  bytes: fc.constant(null),
});

const upload: fc.Arbitrary<Deed> = fc
  .record({ id: fc.integer({ min: 1, max: 3 }), bytes: fc.string(), metadata })
  .map(({ id, bytes, metadata: said }) => ({
    stream: fileStream(id),
    events: [added(id, bytes)],
    metadata: said,
    bytes,
  }));

export const deeds = (constraints: fc.ArrayConstraints = {}): fc.Arbitrary<readonly Deed[]> =>
  fc.array(fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: upload }), {
    minLength: 1,
    maxLength: 15,
    ...constraints,
  });

export function added(fileId: number, bytes: string): Extract<FileEvent, { type: 'FileChunkAdded' }> {
  const chunk = { number: 1, digest: sha256(bytes), size: Buffer.byteLength(bytes) };
  return { type: 'FileChunkAdded', data: { fileId, owner: 1, ...chunk } };
}

export async function fill({ log, blobs }: { log: EventLog; blobs: BlobStore }, done: readonly Deed[]): Promise<void> {
  for (const { stream, events, metadata: said, bytes } of done) {
    if (bytes !== null) await blobs.put(chunksOf(bytes));
    const { revision } = await log.read(stream);
    await log.append(stream, revision, events.map(withId), said);
  }
}

export const withId = (one: { readonly type: string; readonly data: object }): NewEvent => ({
  ...one,
  id: randomUUID(),
});

/** Notes in a few streams, in turn. */
export const notes = (count: number, category = 'note'): readonly Deed[] =>
  Array.from({ length: count }, (_, n) => ({
    stream: `${category}-${n % 7}` as const,
    events: [{ type: 'NoteTaken', data: { n } }],
    metadata: facts(),
    bytes: null,
  }));

export const uploaded = (fileId: number, bytes: string): Deed => ({
  stream: fileStream(fileId),
  events: [added(fileId, bytes)],
  metadata: facts(),
  bytes,
});

export async function everything({ log }: { log: EventLog }): Promise<readonly Recorded[]> {
  const all: Recorded[] = [];
  for await (const { events } of log.readAll(null, [])) all.push(...events);
  return all;
}

/** All but the positions, which every log counts by itself. */
export async function kept(of: { log: EventLog }): Promise<readonly string[]> {
  return (await everything(of)).map(({ position, ...fact }) => {
    if (position === '') throw new Error('An event without a position');
    return JSON.stringify(fact);
  });
}

export async function holds({ blobs }: { blobs: BlobStore }, bytes: string): Promise<boolean> {
  const [digest, size] = [sha256(bytes), Buffer.byteLength(bytes)];
  if (!(await blobs.exists(digest))) return false;
  const found: Uint8Array[] = [];
  for await (const chunk of blobs.read(digest, 0, size)) found.push(chunk);
  return Buffer.concat(found).toString() === bytes;
}

export interface Told {
  readonly notices: Notice[];
  readonly result: MigrationResult;
}

/** `on` is called with each notice and how many came before it. */
export async function migrated(
  from: Side,
  to: Side,
  { signal, on }: { readonly signal?: AbortSignal; readonly on?: (notice: Notice, before: number) => void } = {},
): Promise<Told> {
  const notices: Notice[] = [];
  const report = (notice: Notice): void => {
    on?.(notice, notices.length);
    notices.push(notice);
  };
  return { notices, result: await migrate({ from, to, report, ...(signal && { signal }) }) };
}
