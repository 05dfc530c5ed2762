import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { moveIntoPlace, written } from '../../../src/stores/filesystem/durable-file.js';
import { syncsIn } from '../../support/syncs.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { rejection } from '../contracts/event-log-fixture.js';

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('some ');
  yield await Promise.resolve(Buffer.from('bytes'));
}

describe('a durable file', () => {
  it('is synced before it has its name, and the directories with the name after it', async () => {
    const directory = await temporaryDirectory();
    try {
      const temporary = join(directory.path, 'temporary');
      const syncs = await syncsIn(directory.path, async () => {
        await written(temporary, bytes(), () => new Date(1_000_000));
        await moveIntoPlace(temporary, join(directory.path, 'ab', 'blob'));
      });
      expect(syncs).to.deep.equal([
        { path: 'temporary', holds: 'some bytes' },
        { path: 'ab', holds: ['blob'] },
        { path: '', holds: ['ab'] },
      ]);
      const { mode, mtimeMs } = statSync(join(directory.path, 'ab', 'blob'));
      expect([mode & 0o777, mtimeMs]).to.deep.equal([0o600, 1_000_000]);
    } finally {
      await directory.remove();
    }
  });

  it('is refused with the reason of the file system that makes no directory for it', async () => {
    const directory = await temporaryDirectory();
    try {
      const temporary = join(directory.path, 'blob');
      writeFileSync(temporary, '');
      // The recursive mkdir of Node 20 never returns there.
      const refused = await rejection(moveIntoPlace(temporary, '/proc/tracker-ledger/blob'));
      expect(refused).to.include({ code: 'ENOENT', path: '/proc/tracker-ledger' });
    } finally {
      await directory.remove();
    }
  });
});
