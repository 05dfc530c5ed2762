import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NO_STREAM, UnreadableEvent, type Recorded, type StreamName } from '../../../../src/core/event-log.js';
import { logNotifications } from '../../../../src/stores/shared/log-notifications.js';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { logReader } from '../../../../src/stores/sqlite/event-log/reader.js';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/temporary-directory.js';
import { batchesOf, metadata, noted, rejection } from '../../contracts/event-log-fixture.js';

const STREAM: StreamName = 'note-1';

describe('a damaged file of the event log on SQLite', () => {
  let directory: TemporaryDirectory;
  let file: string;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = join(directory.path, 'log.sqlite');
  });
  afterEach(() => directory.remove());

  const write = async (stream: StreamName, texts: readonly string[], expected = NO_STREAM): Promise<void> => {
    const log = await sqliteEventLog(directory.path);
    const events = texts.map((text) => noted({ text }));
    await log.append(stream, expected, events, metadata);
    await log.close();
  };
  /** Over the bytes of the file, as a disk would. */
  const overwrite = (offset: number, bytes: Uint8Array): void => {
    const opened = openSync(file, 'r+');
    writeSync(opened, bytes, 0, bytes.length, offset);
    closeSync(opened);
  };
  const replace = (before: string, after: string): void => {
    // The first of several events stands last in a page.
    overwrite(readFileSync(file).lastIndexOf(before), Buffer.from(after));
  };
  const reading = async <T>(work: (reader: ReturnType<typeof logReader>) => Promise<T>): Promise<T> => {
    const reader = logReader(directory.path, logNotifications());
    try {
      return await work(reader);
    } finally {
      reader.close();
    }
  };

  for (const [part, before, after] of [
    ['data', 'remember', 'rememBer'],
    ['metadata', '"commandId":"c-1"', '"commandId":"c-2"'],
    ['type', 'NoteTaken', 'NoteTakes'],
  ] as const) {
    it(`is found at an event with other bytes in its ${part}: the error names file, place and remedy`, async () => {
      await write(STREAM, ['remember the milk']);
      await write('note-2', ['sound']);
      replace(before, after);

      await reading(async (reader) => {
        for (const refused of [await rejection(reader.read(STREAM)), await rejection(batchesOf(reader, null))]) {
          expect(refused).to.be.instanceOf(UnreadableEvent);
          expect(refused).to.include({ stream: STREAM, revision: 0, position: '0000000000000001' });
          expect(refused)
            .to.have.property('reason')
            .that.includes('checksum')
            .and.includes(file)
            .and.includes('back-up');
        }
        expect((await reader.read('note-2')).events).to.have.length(1);
      });
    });
  }

  it('never gives another event than was written, whichever byte of a stored event is wrong', async () => {
    await write(STREAM, ['remember the milk']);
    const whole = readFileSync(file);
    const original = await reading((reader) => reader.read(STREAM));
    const from = whole.lastIndexOf(STREAM, whole.indexOf('remember'));
    const to = whole.indexOf('"commandId":"c-1"') + 20;
    let found = 0;
    for (let offset = from; offset < to; offset += 1) {
      overwrite(offset, Buffer.from([whole[offset]! ^ 0x01]));
      const seen = await reading(async (reader) =>
        (await batchesOf(reader, null)).flatMap(({ events }) => events),
      ).catch((error: unknown) => error);
      if (seen instanceof Error) found += 1;
      else expect(seen, `byte ${offset}`).to.deep.equal(original.events);
      overwrite(offset, whole.subarray(offset, offset + 1));
    }
    expect(found).to.be.greaterThan((to - from) * 0.9);
  });

  it('is named, with what to do, where SQLite itself cannot read it', async () => {
    await write(
      STREAM,
      Array.from({ length: 400 }, (_, index) => `${index} `.repeat(200)),
    );
    const size = readFileSync(file).length;
    overwrite(8192, Buffer.alloc(size - 8192, 0xa5));
    await reading(async (reader) => {
      const refused = await rejection(batchesOf(reader, null));
      expect(String(refused)).to.include(`The event log ${file} is damaged`).and.to.include('back-up');
    });
  });

  it('is found in a stream that lacks an event', async () => {
    await write(STREAM, ['one', 'two', 'three']);
    const database = openDatabase(file);
    database.exec('DELETE FROM events WHERE revision = 1');
    database.close();
    const refused = await reading((reader) => rejection(reader.read(STREAM)));
    expect(String(refused)).to.include(`${file} lacks revision 1 of ${STREAM}`).and.to.include('back-up');
  });

  it('goes unnoticed only in events that a release without checksums wrote, which all stay readable', async () => {
    await write(STREAM, ['old']);
    const database = openDatabase(file);
    database.exec('ALTER TABLE events DROP COLUMN checksum; VACUUM');
    database.close();
    await write(STREAM, ['new'], 0);

    const texts = ({ events }: { readonly events: readonly Recorded[] }): readonly unknown[] =>
      events.map(({ data }) => ('text' in data ? data.text : undefined));
    expect(texts(await reading((reader) => reader.read(STREAM)))).to.deep.equal(['old', 'new']);
    replace('"new"', '"neu"');
    expect(await reading((reader) => rejection(reader.read(STREAM))))
      .to.be.instanceOf(UnreadableEvent)
      .with.property('revision', 1);
  });
});
