import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { holderOf, lockDataDirectory } from '../../src/stores/sqlite/data-lock.js';
import { command, killAll } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('a directory that a process has which is no service', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    await killAll();
    await directory.remove();
  });

  it('has a status that names this process for as long as it has the directory', async () => {
    const status = async () => command(['status'], { DATA_DIR: directory.path });
    expect(holderOf(directory.path)).to.equal(null);
    const { release } = lockDataDirectory(directory.path);
    const held = await status();
    expect(held.code).to.equal(1);
    // The path of the socket may be relative, because the system takes no long one.
    expect(held.stderr).to.match(/^No service listens on .*\/control\.sock, but /);
    expect(held.stderr).to.include(`, but ${directory.path} is in use by process ${process.pid} (since `);
    release();
    const free = await status();
    expect(free.code).to.equal(1);
    expect(free.stderr).to.match(/^No service listens on .*\/control\.sock\n$/);
  });

  it('is refused to a start, which ends with status 1 and names this process', async () => {
    const { release } = lockDataDirectory(directory.path);
    const { code, stderr } = await command(['start'], { DATA_DIR: directory.path, PORT: '0' });
    release();
    expect(code).to.equal(1);
    expect(stderr).to.include(`${directory.path} is in use by process ${process.pid} (since `);
  });

  it('has no holder once this process has crashed', () => {
    const crashed = lockDataDirectory(directory.path);
    crashed.release();
    writeFileSync(join(directory.path, 'holder.json'), JSON.stringify({ pid: process.pid }));
    expect(holderOf(directory.path)).to.equal(null);
    lockDataDirectory(directory.path).release();
  });
});
