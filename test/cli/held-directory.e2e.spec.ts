import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { holderOf, lockDataDirectory } from '../../src/stores/sqlite/data-lock.js';
import { command, killAll } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('status of a directory that a process has which is no service', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    await killAll();
    await directory.remove();
  });

  it('names this process for as long as it has the directory', async () => {
    const status = async () => command(['status'], { DATA_DIR: directory.path });
    const noService = `No service listens on ${directory.path}/control.sock`;
    expect(holderOf(directory.path)).to.equal(null);
    const { release } = lockDataDirectory(directory.path);
    const held = await status();
    expect(held.code).to.equal(1);
    expect(
      held.stderr.startsWith(`${noService}, but ${directory.path} is in use by process ${process.pid} (since `),
    ).to.equal(true);
    release();
    expect(await status()).to.include({ code: 1, stderr: `${noService}\n` });
  });

  it('names no process that has crashed', () => {
    const crashed = lockDataDirectory(directory.path);
    crashed.release();
    writeFileSync(join(directory.path, 'holder.json'), JSON.stringify({ pid: process.pid }));
    expect(holderOf(directory.path)).to.equal(null);
    lockDataDirectory(directory.path).release();
  });
});
