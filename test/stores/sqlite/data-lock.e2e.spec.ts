import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { holderOf, isLocked, lockDataDirectory } from '../../../src/stores/sqlite/data-lock.js';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.js';

describe('the lock of the data directory', () => {
  let directory: TemporaryDirectory;

  beforeEach(async () => {
    directory = await temporaryDirectory();
  });

  afterEach(() => directory.remove());

  it('makes the directory, for its owner only', () => {
    const path = join(directory.path, 'a', 'b');
    const lock = lockDataDirectory(path);
    expect(statSync(path).mode & 0o777).to.equal(0o700);
    lock.release();
  });

  it('is had once at a time, and the holder is named', () => {
    const lock = lockDataDirectory(directory.path);
    expect(() => lockDataDirectory(directory.path)).to.throw(
      new RegExp(`${directory.path} is in use by process ${process.pid} \\(since \\d{4}-.*Z\\)`),
    );
    lock.release();
    const next = lockDataDirectory(directory.path);
    lock.release();
    expect(existsSync(join(directory.path, 'holder.json'))).to.equal(true);
    next.release();
    expect(existsSync(join(directory.path, 'holder.json'))).to.equal(false);
  });

  it('is seen by those who only look, and do not keep it', () => {
    for (const isHeld of [true, false]) {
      const { release } = lockDataDirectory(directory.path);
      if (!isHeld) release();
      expect([isLocked(directory.path), isLocked(directory.path)]).to.deep.equal([isHeld, isHeld]);
      expect(holderOf(directory.path)?.startsWith(`process ${process.pid} (since `) ?? false).to.equal(isHeld);
      if (isHeld) rmSync(join(directory.path, 'holder.json'));
      expect(holderOf(directory.path)).to.equal(isHeld ? 'another process' : null);
      release();
    }
  });

  it('has no holder without its file, and none to be told of in one that cannot be read', () => {
    writeFileSync(join(directory.path, 'holder.json'), '{"pid": 4}');
    expect(holderOf(directory.path)).to.equal(null);
    writeFileSync(join(directory.path, 'lock.sqlite'), 'not a database '.repeat(100));
    expect(() => holderOf(directory.path)).to.throw('not a database');
  });

  it('ends also where the note about the holder cannot be removed', () => {
    const note = join(directory.path, 'holder.json');
    const lock = lockDataDirectory(directory.path);
    rmSync(note);
    mkdirSync(note);
    lock.release();
    expect(existsSync(note)).to.equal(true);
    rmdirSync(note);
    lockDataDirectory(directory.path).release();
  });

  it('holds when the note about the holder cannot be read', () => {
    const lock = lockDataDirectory(directory.path);
    for (const [note, text] of [
      ['{', 'another process'],
      ['null', 'another process'],
      ['{"pid": 4}', 'process 4'],
    ] as const) {
      writeFileSync(join(directory.path, 'holder.json'), note);
      expect(() => lockDataDirectory(directory.path)).to.throw(`${directory.path} is in use by ${text}`);
    }
    lock.release();
  });

  it('keeps other processes out, and ends with the process that has it', async () => {
    const script = fileURLToPath(new URL('event-log/append-until-killed.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, directory.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(() => lockDataDirectory(directory.path)).to.throw(`is in use by process ${child.pid ?? 0}`);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    lockDataDirectory(directory.path).release();
  });

  it('names the file that hinders it, with the reason and what to do', () => {
    const file = join(directory.path, 'lock.sqlite');
    writeFileSync(file, 'not a database '.repeat(100));
    expect(() => lockDataDirectory(directory.path)).to.throw(`${file} cannot be opened (`);
    expect(() => lockDataDirectory(directory.path)).to.throw(/not a database\); remove the file, which holds nothing$/);
    rmSync(file);
    symlinkSync(join(directory.path, 'missing', 'file'), file);
    expect(() => lockDataDirectory(directory.path)).to.throw(`${file} cannot be opened (`);
    expect(() => lockDataDirectory(directory.path)).to.throw(/; the service must be able to write file and directory$/);
  });
});
