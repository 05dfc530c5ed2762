import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { whyNotWritable } from '../../../src/artifacts/archive/archive-file.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

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
