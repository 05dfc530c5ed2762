import { execFile } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { directoryBlobStore } from '../../src/stores/directory-blob-store.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';
import { chunksOf, itKeepsTheBlobStoreContract, sha256 } from './blob-store.contract.js';
import { rejection } from './event-log-fixture.js';
import { needsProgram } from '../support/needs-program.js';

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

    it('removes at the start what a crash left behind', async () => {
      const incoming = join(directory.path, 'incoming');
      await mkdir(incoming);
      await writeFile(join(incoming, 'half'), 'half');
      const blobs = await open();
      expect(await readdir(incoming)).to.deep.equal([]);
      const { digest } = await blobs.put(chunksOf('whole'));
      expect(await (await open()).exists(digest)).to.equal(true);
      expect(await readdir(incoming)).to.deep.equal([]);
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
