import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { NO_STREAM, type StreamName } from '../../../../src/core/event-log.js';
import { lockDataDirectory } from '../../../../src/stores/sqlite/data-lock.js';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/temporary-directory.js';
import { batchesOf, metadata, newStream, noted } from '../../contracts/event-log-fixture.js';
import { needsProgram } from '../../../support/needs-program.js';

const FROM_SOURCE = ['--import', import.meta.resolve('tsx')];

function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

describe('the event log on SQLite, when its process is in trouble', () => {
  let directory: TemporaryDirectory;

  beforeEach(async () => {
    directory = await temporaryDirectory();
  });

  afterEach(() => directory.remove());

  it('still has every append that was answered before the process was killed', async () => {
    const child = spawn(process.execPath, [...FROM_SOURCE, script('append-until-killed.ts'), directory.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const answered: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      answered.push(line);
      if (answered.length === 500) child.kill('SIGKILL');
    }
    expect(await exited).to.deep.equal([null, 'SIGKILL']);

    const lock = lockDataDirectory(directory.path);
    const log = await sqliteEventLog(directory.path);
    const stored = (await batchesOf(log, null)).flatMap(({ events }) => events);
    const found = new Set(stored.map(({ stream, revision, position }) => `${stream} ${revision} ${position}`));
    expect(answered.filter((line) => !found.has(line))).to.deep.equal([]);
    expect(stored.map(({ position }) => Number(`0x${position}`))).to.deep.equal(stored.map((_, index) => index + 1));

    const [stream, revision] = [stored[0]!.stream, (await log.read(stored[0]!.stream)).revision];
    expect((await log.append(stream, revision, [noted()], metadata)).revision).to.equal(revision + 1);
    expect((await log.append(newStream(), NO_STREAM, [noted()], metadata)).revision).to.equal(0);
    await log.close();
    lock.release();
  });

  needsProgram('bash', 'stores nothing of a commit that cannot be written to its end', () => {
    it('stores nothing of a commit that cannot be written to its end', async () => {
      const limited = 'ulimit -S -f 1024; exec "$@"';
      const command = [process.execPath, ...FROM_SOURCE, script('append-until-commit-fails.ts'), directory.path];
      const { stdout } = await promisify(execFile)('bash', ['-c', limited, 'limited', ...command]);
      const seen = JSON.parse(stdout) as {
        readonly answered: number;
        readonly kind: string;
        readonly failures: readonly string[];
        readonly message: string;
      };

      expect(seen).to.deep.include({ kind: 'unavailable', failures: [] });
      expect(seen.message).to.include('nothing was stored').and.not.include(directory.path);
      const log = await sqliteEventLog(directory.path);
      const { revision } = await log.read('note-1');
      await log.close();
      expect(revision).to.equal(seen.answered);
    });
  });

  needsProgram('bash', 'refuses what the disk does not take, stores nothing of it, and goes on', () => {
    it('refuses what the disk does not take, stores nothing of it, and goes on', async () => {
      // In a shell of its own, where no file may grow beyond 4 MiB.
      const limited = 'ulimit -S -f 4096; exec "$@"';
      const command = [process.execPath, ...FROM_SOURCE, script('append-beyond-limit.ts'), directory.path];
      const { stdout } = await promisify(execFile)('bash', ['-c', limited, 'limited', ...command]);
      const streams: readonly StreamName[] = ['note-1', 'note-2', 'note-3'];
      const seen = JSON.parse(stdout) as { readonly messages: readonly string[] };

      expect(seen).to.deep.include({
        refused: [
          ['unavailable', 5],
          ['unavailable', 5],
        ],
        position: '0000000000000002',
        revisions: [1, NO_STREAM, 0],
      });
      for (const message of seen.messages) expect(message).to.include('event log').and.not.include(directory.path);
      const log = await sqliteEventLog(directory.path);
      const stored = (await batchesOf(log, null)).flatMap(({ events }) => events);
      await log.close();
      expect(stored.map(({ stream }) => streams.indexOf(stream))).to.deep.equal([0, 0, 2]);
    });
  });
});
