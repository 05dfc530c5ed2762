import { setTimeout as pause } from 'node:timers/promises';
import { type MessagePort } from 'node:worker_threads';
import { expect } from 'chai';
import { NO_STREAM } from '../../../../src/core/event-log.js';
import { type SqliteEventLog, sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/temporary-directory.js';
import { metadata, newStream, noted } from '../../contracts/event-log-fixture.js';

describe('a group of appends to the event log on SQLite', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;
  let notices: MessagePort;
  /** The end of the log after each group that wrote something. */
  let ends: number[];

  beforeEach(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
    ends = [];
    notices = log.notices();
    notices.on('message', (end: string) => ends.push(Number(`0x${end}`)));
  });

  afterEach(async () => {
    notices.close();
    await log.close();
    await directory.remove();
  });

  const areTold = async (count: number): Promise<void> => {
    while (ends.length < count) await pause(1);
  };
  // While the first one is written, the others become groups.
  const appended = (...texts: readonly string[]) =>
    Promise.all(texts.map((text) => log.append(newStream(), NO_STREAM, [noted({ text })], metadata)));

  it('ends where its last new event is, though a repeated append comes after it', async () => {
    const [stream, event] = [newStream(), noted()];
    const append = () => log.append(stream, NO_STREAM, [event], metadata);
    const first = append();
    const [, repeated] = await Promise.all([appended('other'), append()]);
    await areTold(2);
    expect(repeated).to.deep.equal(await first);
    expect(ends).to.deep.equal([1, 2]);
  });

  it('holds 512 appends at most', async () => {
    await appended(...Array.from({ length: 1100 }, String));
    await areTold(4);
    expect(ends).to.deep.equal([1, 513, 1025, 1100]);
  });

  it('holds four million characters at most, but for an append that is longer by itself', async () => {
    const million = 'x'.repeat(1_000_000);
    await appended('first', ...Array.from({ length: 5 }, () => million), million.repeat(5));
    await areTold(4);
    expect(ends).to.deep.equal([1, 5, 6, 7]);
  });
});
