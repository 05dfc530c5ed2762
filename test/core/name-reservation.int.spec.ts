import { expect } from 'chai';
import {
  nameDecider,
  nameHolder,
  nameStream,
  releaseName,
  reserveName,
  type NameEvent,
  type UniqueName,
} from '../../src/core/name-reservation.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { specify } from '../support/specify.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const { given } = specify(nameDecider());

const bug: UniqueName = { kind: 'tracker', scope: 110, name: 'bug' };
const first = { id: 120, commandId: 'c-1', creation: { label: 'Bugs' } };
const second = { id: 121, commandId: 'c-2', creation: { label: 'Other bugs' } };
const reserved: NameEvent = { type: 'NameReserved', data: { ...bug, ...first } };
const released: NameEvent = { type: 'NameReleased', data: { ...bug, id: 120 } };
const by = { actor: null, at: '2026-03-01T12:00:00.000Z' };

describe('a unique name', () => {
  it('belongs to the first command that claims it', () => {
    given()
      .when({ type: 'ReserveName', ...bug, ...first })
      .then(reserved);
    given(reserved)
      .when({ type: 'ReserveName', ...bug, ...second })
      .thenNothing();
  });

  it('is freed by its holder only', () => {
    given(reserved)
      .when({ type: 'ReleaseName', ...bug, id: 121 })
      .thenNothing();
    given(reserved)
      .when({ type: 'ReleaseName', ...bug, id: 120 })
      .then(released);
  });

  it('can be taken again once freed', () => {
    given(reserved, released)
      .when({ type: 'ReserveName', ...bug, ...second })
      .then({ type: 'NameReserved', data: { ...bug, ...second } });
  });

  it('is equal in upper and lower case for users and projects', () => {
    for (const kind of ['user', 'project'] as const) {
      const alice: UniqueName = { kind, scope: 0, name: 'alice' };
      expect(nameStream({ ...alice, name: 'ALICE' })).to.equal(nameStream(alice));
    }
    expect(nameStream({ ...bug, name: 'BUG' })).to.not.equal(nameStream(bug));
  });

  it('is equal in all forms of its accents', () => {
    expect(nameStream({ ...bug, name: 'caf\u00e9' })).to.equal(nameStream({ ...bug, name: 'cafe\u0301' }));
  });

  describe('in the log', () => {
    let directory: TemporaryDirectory;
    let log: SqliteEventLog;

    before(async () => {
      directory = await temporaryDirectory();
      log = await sqliteEventLog(directory.path);
    });
    after(async () => {
      await log.close();
      await directory.remove();
    });

    it('names its holder to all processes', async () => {
      expect(await nameHolder(log, bug)).to.equal(null);
      const holders = await Promise.all([reserveName(log, bug, first, by), reserveName(log, bug, second, by)]);
      expect(holders).to.deep.equal([first, first]);
      expect(await nameHolder(log, bug)).to.deep.equal(first);

      await releaseName(log, bug, { id: 120, commandId: 'c-3' }, by);
      expect(await nameHolder(log, bug)).to.equal(null);
    });
  });
});
