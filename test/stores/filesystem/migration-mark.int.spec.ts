import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  markMigration,
  refuseUnfinishedMigration,
  removeMigrationMark,
} from '../../../src/stores/filesystem/migration-mark.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { rejection } from '../contracts/event-log-fixture.js';

describe('the mark of a migration into a data directory', () => {
  let directory: TemporaryDirectory;
  let path: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    path = join(directory.path, 'migrating.json');
  });
  afterEach(() => directory.remove());

  const mark = (firstEvent: string) => markMigration(directory.path, firstEvent, () => new Date('2026-03-01T12:00Z'));
  const refuse = (): void => {
    refuseUnfinishedMigration(directory.path);
  };

  it('names itself and the begin of the migration until it is removed', async () => {
    refuse();
    for (const time of [1, 2]) {
      await mark('one');
      expect(refuse, String(time)).to.throw(`${path} tells of a migration, begun at 2026-03-01T12:00:00.000Z, that`);
    }
    expect(readdirSync(directory.path)).to.deep.equal(['migrating.json']);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    await removeMigrationMark(directory.path);
    refuse();
    await removeMigrationMark(directory.path);
  });

  it('refuses the migration of another log', async () => {
    await mark('one');
    expect(await rejection(mark('two'))).to.have.property(
      'message',
      `${path} names the migration of another log, begun at 2026-03-01T12:00:00.000Z: its first event is one, that of ` +
        'the source is two. Name the other source, or use an empty directory',
    );
    expect(refuse).to.throw(path);
  });

  it('counts, too, if its text cannot be read or a write of it was cut short', async () => {
    for (const text of ['', 'null', '{"firstEvent']) {
      writeFileSync(path, text);
      expect(refuse, text).to.throw(`${path} tells of a migration, begun at an unknown time, that has not ended`);
    }
    writeFileSync(`${path}.new`, '{');
    await mark('one');
    expect(refuse).to.throw('begun at 2026');
  });
});
