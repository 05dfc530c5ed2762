/** What every store of bytes has to do. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { MissingBytes, type BlobStore } from '../../../src/core/blob-store.js';
import { rejection } from './event-log-fixture.js';

export interface OpenedBlobStore {
  readonly blobs: BlobStore;
  /** Moves the store's clock. */
  readonly pass: (seconds: number) => void;
  readonly now: () => Date;
  /** Leaves so many bytes of a small blob, as a fault of a disk does. */
  readonly shorten: (digest: string, size: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function* chunksOf(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

export async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What removes a blob asks whether any event names the blob. */
export const unnamed = () => Promise.resolve(false);

const NOBODYS = sha256('what nobody has put');

export function itKeepsTheBlobStoreContract(open: () => Promise<OpenedBlobStore>): void {
  let opened: OpenedBlobStore;
  let blobs: BlobStore;
  beforeEach(async () => {
    opened = await open();
    ({ blobs } = opened);
  });
  afterEach(() => opened.close());

  const text = async (digest: string, from: number, to: number) => String(await gathered(blobs.read(digest, from, to)));

  it('names bytes by their SHA-256 and gives them back', async () => {
    const blob = await blobs.put(chunksOf('to be ', 'or not', ' to be'));
    expect(blob).to.deep.equal({ digest: sha256('to be or not to be'), size: 18 });
    expect(await text(blob.digest, 0, blob.size)).to.equal('to be or not to be');
  });

  it('gives back any range', async () => {
    const { digest } = await blobs.put(chunksOf('to be ', 'or not', ' to be'));
    expect(await text(digest, 3, 9)).to.equal('be or ');
    expect(await text(digest, 17, 18)).to.equal('e');
    expect(await text(digest, 5, 5)).to.equal('');
  });

  it('keeps no bytes at all as a blob of their own', async () => {
    const { digest, size } = await blobs.put(chunksOf());
    expect({ digest, size }).to.deep.equal({ digest: sha256(''), size: 0 });
    expect(await blobs.exists(digest)).to.equal(true);
    expect(await text(digest, 0, 0)).to.equal('');
  });

  it('keeps bytes of every value, and more of them than fit in one read', async () => {
    const bytes = Buffer.alloc(
      300_000,
      Uint8Array.from({ length: 256 }, (_, value) => value),
    );
    const { digest, size } = await blobs.put(chunksOf(bytes.subarray(0, 100_001), bytes.subarray(100_001)));
    expect(size).to.equal(bytes.length);
    expect((await gathered(blobs.read(digest, 1, size))).equals(bytes.subarray(1))).to.equal(true);
  });

  it('takes the same bytes again, also at the same time', async () => {
    const puts = await Promise.all(Array.from({ length: 5 }, () => blobs.put(chunksOf('again'))));
    expect(new Set(puts.map(({ digest }) => digest)).size).to.equal(1);
    expect(await text(sha256('again'), 0, 5)).to.equal('again');
  });

  it('keeps no bytes of a failing source, and throws its error', async () => {
    const failing = async function* () {
      yield* chunksOf('half');
      throw new Error('cut off');
    };
    expect(await rejection(blobs.put(failing()))).to.have.property('message', 'cut off');
    expect(await blobs.exists(sha256('half'))).to.equal(false);
  });

  it('reports a missing blob', async () => {
    expect(await blobs.exists(NOBODYS)).to.equal(false);
    expect(await rejection(gathered(blobs.read(NOBODYS, 0, 1)))).to.be.instanceOf(MissingBytes);
  });

  it('fails to read bytes that a blob has lost, and bytes beyond its end', async () => {
    const { digest } = await blobs.put(chunksOf('to be or not to be'));
    expect(await rejection(text(digest, 0, 19)), 'beyond its end').to.be.an('error');
    for (const left of [5, 0]) {
      await opened.shorten(digest, left);
      for (const [from, to] of [
        [0, 18],
        [left, left + 1],
        [17, 18],
      ] as const) {
        expect(await rejection(text(digest, from, to)), `${from} to ${to} of ${left}`).to.be.instanceOf(MissingBytes);
      }
      expect(await text(digest, 0, left)).to.equal('to be'.slice(0, left));
    }
  });

  it('removes a blob without a put since', async () => {
    const { digest } = await blobs.put(chunksOf('old'));
    expect(await blobs.delete(digest, opened.now(), unnamed), 'put at that very moment').to.equal(false);
    opened.pass(1);
    expect(await blobs.delete(digest, opened.now(), unnamed)).to.equal(true);
    expect(await blobs.exists(digest)).to.equal(false);
    expect(await blobs.delete(digest, opened.now(), unnamed), 'a second time').to.equal(true);
  });

  it('does not remove a blob that was put again meanwhile', async () => {
    const { digest } = await blobs.put(chunksOf('old'));
    opened.pass(10);
    const before = opened.now();
    opened.pass(10);
    await blobs.put(chunksOf('old'));
    expect(await blobs.delete(digest, before, unnamed)).to.equal(false);
    expect(await text(digest, 0, 3)).to.equal('old');
  });

  it('does not remove a blob that was kept meanwhile, and keeps no missing one', async () => {
    const { digest } = await blobs.put(chunksOf('old'));
    opened.pass(10);
    const before = opened.now();
    opened.pass(10);
    expect(await blobs.keep(digest)).to.equal(true);
    expect(await blobs.delete(digest, before, unnamed)).to.equal(false);
    expect(await text(digest, 0, 3)).to.equal('old');
    opened.pass(10);
    expect(await blobs.delete(digest, opened.now(), unnamed)).to.equal(true);
    expect(await blobs.keep(digest)).to.equal(false);
    expect(await blobs.exists(digest)).to.equal(false);
  });

  it('leaves blobs that an event names or may name', async () => {
    const { digest } = await blobs.put(chunksOf('old'));
    opened.pass(10);
    expect(await blobs.delete(digest, opened.now(), () => Promise.resolve(true))).to.equal(false);
    expect(await text(digest, 0, 3)).to.equal('old');
    opened.pass(10);
    const failing = () => Promise.reject(new Error('not known'));
    expect(await rejection(blobs.delete(digest, opened.now(), failing))).to.have.property('message', 'not known');
    expect(await text(digest, 0, 3)).to.equal('old');
  });

  it('leaves what is put after the question whether it is named, by a process whose clock is an hour behind', async () => {
    const { digest } = await blobs.put(chunksOf('old'));
    opened.pass(10);
    const meanwhile = async (): Promise<boolean> => {
      opened.pass(-3600);
      await blobs.put(chunksOf('old'));
      return false;
    };
    expect(await blobs.delete(digest, opened.now(), meanwhile)).to.equal(false);
    expect(await text(digest, 0, 3)).to.equal('old');
  });

  it('leaves what is kept after the question whether it is named, by a process whose clock is an hour behind', async () => {
    const { digest } = await blobs.put(chunksOf('old'));
    opened.pass(10);
    const meanwhile = async (): Promise<boolean> => {
      opened.pass(-3600);
      expect(await blobs.keep(digest)).to.equal(true);
      return false;
    };
    expect(await blobs.delete(digest, opened.now(), meanwhile)).to.equal(false);
    expect(await text(digest, 0, 3)).to.equal('old');
  });

  it('removes a blob that an earlier removal put back', async () => {
    const { digest } = await blobs.put(chunksOf('old'));
    opened.pass(10);
    const meanwhile = async (): Promise<boolean> => !(await blobs.keep(digest));
    expect(await blobs.delete(digest, opened.now(), meanwhile)).to.equal(false);
    opened.pass(10);
    expect(await blobs.delete(digest, opened.now(), unnamed)).to.equal(true);
    expect(await blobs.exists(digest)).to.equal(false);
  });
}
