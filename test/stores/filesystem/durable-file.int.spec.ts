import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { moveIntoPlace } from '../../../src/stores/filesystem/durable-file.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { rejection } from '../contracts/event-log-fixture.js';

describe('a durable file', () => {
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
