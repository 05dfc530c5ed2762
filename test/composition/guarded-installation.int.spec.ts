import { expect } from 'chai';
import { disposables } from '../../src/core/concurrency/disposables.js';
import { NO_STREAM } from '../../src/core/event-log.js';
import { installationGuard, type InstallationGuardOptions } from '../../src/composition/installation-guard.js';
import { OwnedByAnother } from '../../src/stores/shared/owned-by-another.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { metadata, newStream, noted, rejection } from '../stores/contracts/event-log-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('the guard of an installation', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;
  const opened = disposables();
  beforeEach(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
  });
  afterEach(async () => {
    await opened.dispose();
    await log.close();
    await directory.remove();
  });

  const another = new OwnedByAnother('they are those of another log');
  const guarded = (owned: InstallationGuardOptions['owned'], onFailed: (error: Error) => void = () => undefined) => {
    const onRetry = (): void => undefined;
    return installationGuard({ owned, log, onRetry, onFailed, stopping: new AbortController() }, opened);
  };
  const begin = async (): Promise<string> => {
    const first = noted();
    await log.append(newStream(), NO_STREAM, [first], metadata);
    return first.id;
  };

  it('refuses read models of another log', async () => {
    await begin();
    expect(await rejection(guarded(() => Promise.reject(another)))).to.equal(another);
  });

  it('claims read models with the first event of an empty log, and fails where they are those of another by then', async () => {
    const asked: (string | null)[] = [];
    const failed = new Promise<Error>((fail) => {
      const owned = (first: string | null): Promise<void> => {
        asked.push(first);
        return first === null ? Promise.resolve() : Promise.reject(another);
      };
      void guarded(owned, fail);
    });
    while (asked.length === 0) await new Promise(setImmediate);
    const first = await begin();
    expect(await failed).to.equal(another);
    expect(asked).to.deep.equal([null, first]);
  });

  it('tells a log that is another by now from stores that do not answer', async () => {
    await begin();
    let answer = Promise.resolve();
    const isOwnLog = await guarded(() => answer);
    expect(await isOwnLog()).to.equal(true);
    answer = Promise.reject(another);
    expect(await isOwnLog()).to.equal(false);
    const away = new Error('away');
    answer = Promise.reject(away);
    expect(await rejection(isOwnLog())).to.equal(away);
  });
});
