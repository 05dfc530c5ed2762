import { expect } from 'chai';
import { NO_STREAM, type StreamName } from '../../../../src/core/event-log.js';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { openLogForWriting } from '../../../../src/stores/sqlite/event-log/file.js';
import { HALF, plantEvent } from '../../../support/damaged-log.js';
import { turns } from '../../../support/turns.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { metadata, newStream, noted } from '../../contracts/event-log-fixture.js';
import { itKeepsTheEventLogContract } from '../../contracts/event-log.contract.js';

describe('the event log on SQLite', () => {
  itKeepsTheEventLogContract(async () => {
    const directory = await temporaryDirectory();
    const log = await sqliteEventLog(directory.path);
    return {
      log,
      plant: (stream, type, part) => {
        plantEvent(directory.path, stream, type, { [part]: HALF });
      },
      close: async () => {
        await log.close();
        await directory.remove();
      },
    };
  });

  it('is written by a connection that has the disk itself keep each append, on macOS too', async () => {
    const directory = await temporaryDirectory();
    const database = openLogForWriting(directory.path);
    const settings = ['synchronous', 'fullfsync'].map((name) => database.prepare(`PRAGMA ${name}`).get());
    database.close();
    await directory.remove();
    expect(settings).to.deep.equal([{ synchronous: 2 }, { fullfsync: 1 }]);
  });

  it('gives a long stream in slices, so that others have their turn', async () => {
    const directory = await temporaryDirectory();
    const log = await sqliteEventLog(directory.path);
    const [large, many] = [newStream(), newStream()];
    const texts = Array.from({ length: 12 }, (_, n) => noted({ text: String(n).repeat(100_000) }));
    for (const [n, text] of texts.entries()) await log.append(large, n - 1, [text], metadata);
    const small = Array.from({ length: 1000 }, (_, n) => noted({ text: String(n) }));
    await log.append(many, NO_STREAM, small, metadata);
    const read = async (stream: StreamName) => {
      const loop = turns();
      const { events } = await log.read(stream);
      loop.stop();
      return { events: events.map(({ id, type, data }) => ({ id, type, data })), turns: loop.count() };
    };
    const [ofLarge, ofMany] = [await read(large), await read(many)];
    await log.close();
    await directory.remove();
    expect([ofLarge.events, ofMany.events]).to.deep.equal([texts, small]);
    expect(ofLarge.turns).to.be.at.least(3);
    expect(ofMany.turns).to.be.at.least(4);
  });
});
