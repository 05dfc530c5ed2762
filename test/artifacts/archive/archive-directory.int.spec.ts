import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { whyNotWritable, writeArchiveFile } from '../../../src/artifacts/archive/archive-file.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';
import { syncsIn } from '../../support/syncs.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

async function* content(): AsyncGenerator<string> {
  yield await Promise.resolve('<artifact/>');
}

describe('the directory of archives', () => {
  let scratch: TemporaryDirectory;
  beforeEach(async () => {
    scratch = await temporaryDirectory();
  });
  afterEach(() => scratch.remove());

  it('can be written, also where it is still to be made, which the look does not do', async () => {
    expect(await whyNotWritable(scratch.path)).to.equal(null);
    expect(await whyNotWritable(join(scratch.path, 'not/yet'))).to.equal(null);
    expect(readdirSync(scratch.path)).to.deep.equal([]);
    expect(await whyNotWritable('not/yet')).to.equal(null);
  });

  it('cannot be written if it is a file, or is below a file', async () => {
    const file = join(scratch.path, 'file');
    writeFileSync(file, '');
    expect(await whyNotWritable(file)).to.equal(`${file} is not a directory`);
    expect(await whyNotWritable(join(file, 'below'))).to.match(/^ENOTDIR: /);
  });

  it('cannot be written where a link leads to nothing', async () => {
    const link = join(scratch.path, 'link');
    symlinkSync(join(scratch.path, 'gone'), link);
    for (const directory of [link, join(link, 'archive')]) {
      expect(await whyNotWritable(directory)).to.equal(`${link} is a link to nothing`);
      expect(await rejection(writeArchiveFile(directory, 'one.xml', content()))).to.have.property('code', 'EEXIST');
    }
    expect(existsSync(join(scratch.path, 'gone'))).to.equal(false);
  });

  it('is made with those above it, also by two archives at once', async () => {
    const directory = join(scratch.path, 'not/yet');
    await Promise.all(['one.xml', 'two.xml'].map((name) => writeArchiveFile(directory, name, content())));
    expect(readdirSync(directory).sort()).to.deep.equal(['one.xml', 'two.xml']);
  });

  it('is synced after an archive in it, which is synced before it has its name', async () => {
    const directory = join(scratch.path, 'not/yet');
    const syncs = await syncsIn(scratch.path, () => writeArchiveFile(directory, 'one.xml', content()));
    expect(syncs.map(({ path, holds }) => ({ path: path.replace(/[0-9a-f-]{36}/, '*'), holds }))).to.deep.equal([
      { path: '', holds: ['not'] },
      { path: 'not', holds: ['yet'] },
      { path: 'not/yet/.one.xml.*.draft', holds: '<artifact/>' },
      { path: 'not/yet', holds: ['one.xml'] },
    ]);
  });

  it('keeps nothing of an archive that fails', async () => {
    const broken = async function* (): AsyncGenerator<string> {
      yield* content();
      throw new Error('the log does not answer');
    };
    const refused = await rejection(writeArchiveFile(scratch.path, 'one.xml', broken()));
    expect(refused).to.have.property('message', 'the log does not answer');
    expect(readdirSync(scratch.path)).to.deep.equal([]);
  });

  it('has an archive of which another process removes the draft only if that process has written it', async () => {
    const file = join(scratch.path, 'one.xml');
    const removed = async function* (): AsyncGenerator<string> {
      yield* content();
      for (const draft of readdirSync(scratch.path).filter((name) => name.endsWith('.draft'))) {
        rmSync(join(scratch.path, draft));
      }
    };
    expect(await rejection(writeArchiveFile(scratch.path, 'one.xml', removed()))).to.have.property('code', 'ENOENT');
    writeFileSync(file, 'of the other process');
    writeFileSync(join(scratch.path, '.one.xml.note'), '');
    await writeArchiveFile(scratch.path, 'one.xml', removed());
    expect(readdirSync(scratch.path).sort()).to.deep.equal(['.one.xml.note', 'one.xml']);
  });

  it('fails an archive at once where the file system makes no directory', async () => {
    // The recursive mkdir of Node 20 never returns there.
    const refused = await rejection(writeArchiveFile('/proc/tracker-ledger/archive', 'one.xml', content()));
    expect(refused).to.include({ code: 'ENOENT', path: '/proc/tracker-ledger' });
  });

  // Root may write every directory.
  if (process.getuid?.() !== 0) {
    it('cannot be written, nor made, where the user of the service may not write', async () => {
      const locked = join(scratch.path, 'locked');
      mkdirSync(locked);
      chmodSync(locked, 0o500);
      for (const directory of [locked, join(locked, 'archive')]) {
        expect(await whyNotWritable(directory)).to.equal(`EACCES: permission denied, access '${locked}'`);
      }
    });
  }
});
