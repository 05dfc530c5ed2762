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

  const changed = (sql: string): void => {
    const database = openDatabase(file);
    database.exec(sql);
    database.close();
  };

  it('is found in a stream that lacks an event', async () => {
    await write(STREAM, ['one', 'two', 'three']);
    changed('DELETE FROM events WHERE revision = 1');
    const refused = await reading((reader) => rejection(reader.read(STREAM)));
    expect(String(refused)).to.include(`${file} lacks revision 1 of ${STREAM}`).and.to.include('back-up');
  });

  it('is found in a stream that lacks its first event', async () => {
    await write(STREAM, ['one', 'two', 'three']);
    changed('DELETE FROM events WHERE revision = 0');
    const refused = await reading((reader) => rejection(reader.read(STREAM)));
    expect(String(refused)).to.include(`${file} lacks revision 0 of ${STREAM}`).and.to.include('back-up');
  });

  for (const [title, removed, before, next] of [
    ['first events', 'position <= 2', 0, { stream: 'note-2', revision: 0 }],
    ['last event of a stream', "stream = 'note-2' AND revision = 1", 3, { stream: 'note-3', revision: 0 }],
    ['whole stream', "stream = 'note-2'", 2, { stream: 'note-3', revision: 0 }],
    ['events of two streams', 'position IN (2, 4)', 1, { stream: 'note-2', revision: 0 }],
    ['event far behind the first page', 'position = 900', 899, { stream: 'note-3', revision: 896 }],
  ] as const) {
    it(`is found in a log that lacks the ${title}, after all events before the hole`, async () => {
      await write(STREAM, ['one', 'two']);
      await write('note-2', ['one', 'two']);
      await write(
        'note-3',
        Array.from({ length: 1200 }, (_, index) => String(index)),
      );
      changed(`DELETE FROM events WHERE ${removed}`);

      for (const leftOut of [[], ['NoteMoved']]) {
        const seen: Recorded[] = [];
        const refused = await reading(async (reader) => {
          const all = async (): Promise<void> => {
            for await (const { events } of reader.readAll(null, leftOut)) seen.push(...events);
          };
          return rejection(all());
        });
        expect(refused)
          .to.be.instanceOf(UnreadableEvent)
          .and.to.include({ isDamaged: true, ...next });
        expect(refused)
          .to.have.property('reason')
          .that.includes('the event before it is missing')
          .and.includes(file)
          .and.includes('back-up');
        expect(seen).to.have.length(before);
      }
    });
  }

  it('is found where all types around the hole are left out', async () => {
    await write(STREAM, ['one', 'two', 'three']);
    changed('DELETE FROM events WHERE revision = 1');
    expect(await reading((reader) => rejection(batchesOf(reader, null, ['NoteTaken']))))
      .to.be.instanceOf(UnreadableEvent)
      .with.property('revision', 2);
  });

  it('is no append that was refused: the next one gets its position', async () => {
    await write(STREAM, ['one']);
    const log = await sqliteEventLog(directory.path);
    const both = await Promise.allSettled([
      log.append('note-2', NO_STREAM, [noted()], metadata),
      log.append(STREAM, NO_STREAM, [noted()], metadata),
      log.append('note-3', NO_STREAM, [noted()], metadata),
    ]);
    await log.close();
    expect(both.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(await reading((reader) => batchesOf(reader, null))).to.have.length(1);
  });

  it('is found at an event without a checksum', async () => {
    await write(STREAM, ['one', 'two']);
    changed('UPDATE events SET checksum = NULL WHERE revision = 1');
    for (const read of ['read', 'readAll'] as const) {
      const refused = await reading((reader) =>
        rejection(read === 'read' ? reader.read(STREAM) : batchesOf(reader, null)),
      );
      expect(refused).to.be.instanceOf(UnreadableEvent).and.to.include({ isDamaged: true, revision: 1 });
    }
  });

  const WITHOUT_CHECKSUMS = 'ALTER TABLE events DROP COLUMN checksum; VACUUM';
  const texts = ({ events }: { readonly events: readonly Recorded[] }): readonly unknown[] =>
    events.map(({ data }) => ('text' in data ? data.text : undefined));

  it('goes unnoticed only in events that a release without checksums wrote, which all stay readable', async () => {
    await write(STREAM, ['one', 'two']);
    await write('note-2', ['three']);
    changed(WITHOUT_CHECKSUMS);
    const seen = [texts(await reading((reader) => reader.read(STREAM)))];
    await write(STREAM, ['four'], 1);
    seen.push(texts(await reading((reader) => reader.read(STREAM))));
    const batches = await reading((reader) => batchesOf(reader, null));
    expect(seen).to.deep.equal([
      ['one', 'two'],
      ['one', 'two', 'four'],
    ]);
    expect(batches.flatMap(texts)).to.deep.equal(['one', 'two', 'three', 'four']);

    changed('UPDATE events SET checksum = NULL WHERE revision = 2');
    expect(texts(await reading((reader) => reader.read(STREAM)))).to.deep.equal(['one', 'two', 'four']);
    await write(STREAM, ['five'], 2);
    replace('"five"', '"fife"');
    expect(await reading((reader) => rejection(reader.read(STREAM))))
      .to.be.instanceOf(UnreadableEvent)
      .with.property('revision', 3);
  });
});
