import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rmdir, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type BlobStore } from '../../../src/core/blob-store.js';
import { Problem } from '../../../src/core/problem.js';
import { directoryBlobStore } from '../../../src/stores/filesystem/blob-store.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { chunksOf, gathered, itKeepsTheBlobStoreContract, sha256, unnamed } from '../contracts/blob-store.contract.js';
import { rejection } from '../contracts/event-log-fixture.js';
import { needsProgram } from '../../support/needs-program.js';

const HOUR = 60 * 60 * 1000;

describe('the blob store in a directory', () => {
  itKeepsTheBlobStoreContract(async () => {
    const directory = await temporaryDirectory();
    let now = Date.now();
    const clock = () => new Date(now);
    return {
      blobs: await directoryBlobStore(join(directory.path, 'blobs'), clock),
      pass: (seconds) => {
        now += 1000 * seconds;
      },
      now: clock,
      shorten: (digest, size) => truncate(join(directory.path, 'blobs', digest.slice(0, 2), digest.slice(2)), size),
      close: directory.remove,
    };
  });

  describe('on its disk', () => {
    let directory: TemporaryDirectory;
    beforeEach(async () => {
      directory = await temporaryDirectory();
    });
    afterEach(() => directory.remove());
    const open = () => directoryBlobStore(directory.path, () => new Date());

    it('keeps everything to its own user', async () => {
      const { digest } = await (await open()).put(chunksOf('secret'));
      const modeOf = async (...path: string[]) => (await stat(join(directory.path, ...path))).mode & 0o777;
      expect(await modeOf(digest.slice(0, 2), digest.slice(2))).to.equal(0o600);
      expect(await modeOf(digest.slice(0, 2))).to.equal(0o700);
      expect(await modeOf('incoming')).to.equal(0o700);
    });

    it('removes leftovers of a crash after a day, and no file that may still be written', async () => {
      const incoming = join(directory.path, 'incoming');
      let now = Date.now();
      const blobs = await directoryBlobStore(directory.path, () => new Date(now));
      await writeFile(join(incoming, 'half'), 'half');
      now += 23 * HOUR;
      await directoryBlobStore(directory.path, () => new Date(now));
      await blobs.put(chunksOf('one'));
      expect(await readdir(incoming)).to.deep.equal(['half']);
      now += 2 * HOUR;
      await blobs.put(chunksOf('another'));
      expect(await readdir(incoming)).to.deep.equal([]);
      await writeFile(join(incoming, 'half'), 'half');
      await directoryBlobStore(directory.path, () => new Date(now + HOUR));
      expect(await readdir(incoming)).to.deep.equal([]);
    });

    it('takes uploads beside a leftover that cannot be removed, and removes the others', async () => {
      const incoming = join(directory.path, 'incoming');
      let now = Date.now();
      const reported: unknown[] = [];
      const blobs = await directoryBlobStore(directory.path, () => new Date(now), {
        hasBytes: () => Promise.resolve(false),
        onAway: () => undefined,
        onLeft: (error) => reported.push(error),
      });
      // It leads to itself.
      await symlink('loop', join(incoming, 'loop'));
      for (const name of ['before', 'next']) await writeFile(join(incoming, name), 'half');
      now += 25 * HOUR;
      await blobs.put(chunksOf('one'));
      await blobs.put(chunksOf('another'));
      expect(await readdir(incoming)).to.deep.equal(['loop']);
      expect(reported).to.have.length(1);
      expect(reported[0]).to.have.property('message').that.includes(join(incoming, 'loop'));
    });

    it('goes on with an upload while another process opens the same directory', async () => {
      const blobs = await open();
      const slow = async function* () {
        yield* chunksOf('be');
        await open();
        yield* chunksOf('gun');
      };
      const { digest, size } = await blobs.put(slow());
      expect(String(await gathered((await open()).read(digest, 0, size)))).to.equal('begun');
    });

    it('keeps what one process puts while others remove what was there before', async () => {
      let now = Date.now() - HOUR;
      const clock = () => new Date(now);
      const [putting, ...removing] = await Promise.all(
        Array.from({ length: 3 }, () => directoryBlobStore(directory.path, clock)),
      );
      const texts = Array.from({ length: 150 }, (_, round) => `text of round ${round}`);
      for (const text of texts) await putting!.put(chunksOf(text));
      const before = new Date(now + 1);
      now += HOUR;
      for (const text of texts) {
        const digest = sha256(text);
        const readIn = async (blobs: BlobStore) => String(await gathered(blobs.read(digest, 0, text.length)));
        const put = async () => {
          await putting!.put(chunksOf(text));
          for (const blobs of removing) expect(await blobs.exists(digest)).to.equal(true);
          for (const blobs of removing) expect(await readIn(blobs)).to.equal(text);
        };
        await Promise.all([put(), ...[...removing, ...removing].map((blobs) => blobs.delete(digest, before, unnamed))]);
        expect(await readIn(putting!)).to.equal(text);
        expect(await putting!.delete(digest, new Date(now), unnamed), 'it counts as put now').to.equal(false);
      }
      expect(await readdir(join(directory.path, 'outgoing'))).to.deep.equal([]);
    });

    it('has a blob whose removal was cut short, until the next removal', async () => {
      const blobs = await open();
      const { digest, size } = await blobs.put(chunksOf('text'));
      const path = join(directory.path, digest.slice(0, 2), digest.slice(2));
      const cutShort = () => rename(path, join(directory.path, 'outgoing', `${digest}.by-somebody`));
      await cutShort();
      expect(await blobs.exists(digest)).to.equal(true);
      expect(String(await gathered(blobs.read(digest, 1, size)))).to.equal('ext');
      expect(await blobs.delete(digest, new Date(0), unnamed), 'put since').to.equal(false);
      expect((await stat(path)).size).to.equal(size);
      await cutShort();
      expect(await blobs.delete(digest, new Date(Date.now() + HOUR), unnamed)).to.equal(true);
      expect(await blobs.exists(digest)).to.equal(false);
      expect(await rejection(gathered(blobs.read(digest, 0, size)))).to.be.an('error');
    });

    it('makes its empty directories at its start, which a back-up may lack', async () => {
      const { digest } = await (await open()).put(chunksOf('text'));
      for (const name of ['incoming', 'outgoing']) await rmdir(join(directory.path, name));
      const blobs = await open();
      expect([await blobs.exists(digest), await blobs.keep(sha256('other'))]).to.deep.equal([true, false]);
      expect(await blobs.delete(sha256('other'), new Date(), unnamed)).to.equal(true);
      await blobs.put(chunksOf('more'));
    });

    it('stores, reads, keeps and removes nothing while its file system is not mounted', async () => {
      const blobs = await open();
      const { digest } = await blobs.put(chunksOf('text'));
      const away = `${directory.path}.away`;
      await rename(directory.path, away);
      await mkdir(directory.path);
      try {
        const removed = () => blobs.delete(digest, new Date(Date.now() + HOUR), unnamed);
        const read = () => gathered(blobs.read(digest, 0, 4));
        const stored = () => blobs.put(chunksOf('more'));
        for (const work of [stored, read, () => blobs.exists(digest), () => blobs.keep(digest), removed]) {
          expect(await rejection(work()))
            .to.be.instanceOf(Problem)
            .and.to.include({ kind: 'unavailable' });
        }
        expect(await readdir(directory.path)).to.deep.equal([]);
      } finally {
        await rmdir(directory.path);
        await rename(away, directory.path);
      }
      expect(await blobs.exists(digest)).to.equal(true);
    });

    it('is made by a start in an empty directory, unless the log names bytes', async () => {
      const said: string[] = [];
      const root = join(directory.path, 'blobs');
      const start = (named: boolean) =>
        directoryBlobStore(root, () => new Date(), {
          hasBytes: () => Promise.resolve(named),
          onAway: (reason) => said.push(reason),
        });
      // The last of them is what a start left before the file system was mounted for the first time.
      for (const found of [[], ['lost+found'], ['incoming', 'lost+found', 'outgoing']]) {
        for (const name of found) await mkdir(join(root, name), { recursive: true });
        const blobs = await start(true);
        for (const work of [
          () => blobs.put(chunksOf('text')),
          () => blobs.exists(sha256('text')),
          () => blobs.delete(sha256('text'), new Date(), unnamed),
        ]) {
          expect(await rejection(work()))
            .to.be.instanceOf(Problem)
            .and.to.include({ kind: 'unavailable' });
        }
        if (found.length === 0) expect(await readdir(directory.path)).to.deep.equal([]);
        else expect((await readdir(root)).sort()).to.deep.equal(found);
      }
      expect(said).to.have.length(3);
      const { digest } = await (await start(false)).put(chunksOf('text'));
      for (const name of ['incoming', 'outgoing']) await rmdir(join(root, name));
      expect(await (await start(true)).exists(digest), 'restored without its empty directories').to.equal(true);
      expect(said).to.have.length(3);
    });

    it('says which directory cannot be used, and why', async () => {
      const root = join(directory.path, 'blobs');
      await writeFile(root, '');
      const store = () => directoryBlobStore(root, () => new Date());
      expect(await rejection(store())).to.have.property(
        'message',
        `The directory of files ${root} cannot be used: ENOTDIR: not a directory, scandir '${root}'`,
      );
      await unlink(root);
      await mkdir(root);
      await writeFile(join(root, 'incoming'), '');
      expect(String(await rejection(store()))).to.contain(`The directory of files ${root} cannot be used: EEXIST: `);
    });

    it('makes no path of what is no digest', async () => {
      const blobs = await open();
      for (const digest of ['../../etc/passwd', '', sha256('x').toUpperCase(), `${sha256('x')}/`]) {
        expect(await rejection(blobs.exists(digest)), digest).to.be.an('error');
      }
    });

    needsProgram('bash', 'refuses what the disk does not take, leaves nothing of it, and goes on', () => {
      it('refuses what the disk does not take, leaves nothing of it, and goes on', async () => {
        const script = fileURLToPath(new URL('append-blob-beyond-limit.ts', import.meta.url));
        const command = [process.execPath, '--import', 'tsx', script, directory.path];
        // In a shell of its own, where no file may grow beyond 4 MiB.
        const limited = 'ulimit -S -f 4096; exec "$@"';
        const { stdout } = await promisify(execFile)('bash', ['-c', limited, 'limited', ...command]);
        expect(JSON.parse(stdout)).to.deep.equal({ kind: 'full', left: [], small: true });
      });
    });
  });
});
