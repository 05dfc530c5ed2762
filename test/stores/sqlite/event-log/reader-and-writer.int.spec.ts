import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { type Batch, NO_STREAM, type Position, UnreadableEvent } from '../../../../src/core/event-log.js';
import { Problem } from '../../../../src/core/problem.js';
import { logNotifications } from '../../../../src/stores/shared/log-notifications.js';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import { type SqliteEventLog, sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { hurried, paceOf } from '../../../../src/stores/sqlite/event-log/pace.js';
import { logReader, sqliteLogReader } from '../../../../src/stores/sqlite/event-log/reader.js';
import { logThread, logWriter } from '../../../../src/stores/sqlite/event-log/writer.js';
import { plantEvent } from '../../../support/damaged-log.js';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/temporary-directory.js';
import { batchesOf, metadata, newStream, noted, rejection, subscribed } from '../../contracts/event-log-fixture.js';

describe('the file of the event log on SQLite', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
  });

  afterEach(async () => {
    await log.close();
    await directory.remove();
  });

  function sql(statement: string): void {
    const database = openDatabase(join(directory.path, 'log.sqlite'));
    database.exec(statement);
    database.close();
  }

  function insert(position: string, data: string): string {
    return `INSERT INTO events (position, stream, revision, id, type, data, metadata) VALUES (${position}, 'note-x', ${position}, 'id', 'NoteTaken', '${data}', '{}')`;
  }

  it('has no end while nothing has happened', async () => {
    expect(await log.end()).to.equal(null);
    expect(await batchesOf(log, null)).to.deep.equal([]);
  });

  it('is there after it was closed, and goes on where it ended', async () => {
    const stream = newStream();
    await log.append(stream, NO_STREAM, [noted(), noted()], metadata);
    const before = await log.read(stream);
    await log.close();
    log = await sqliteEventLog(directory.path);

    expect(await log.read(stream)).to.deep.equal(before);
    const { position } = await log.append(stream, 1, [noted()], metadata);
    expect(position).to.equal('0000000000000003');
  });

  it('leaves no thread behind where it cannot be read', async () => {
    // Hides the function of that name, which reading needs and writing does not.
    sql('CREATE TABLE json_each (value)');
    await log.close();
    const opening = rejection(sqliteEventLog(directory.path));
    const [writer] = await once(process, 'worker');
    expect(await opening)
      .to.have.property('message')
      .that.includes('json_each');
    const { threadId } = writer;
    await writer.terminate();
    expect(threadId, 'of one that has ended').to.equal(-1);
  });

  it('keeps positions exact that a number could not hold', async () => {
    sql(insert('1152921504606846975', '{}'));
    const { position } = await log.append(newStream(), NO_STREAM, [noted()], metadata);
    const [batch] = await batchesOf(log, '0fffffffffffffff' as Position);

    expect(position).to.equal('1000000000000000');
    expect(batch?.events.map((event) => event.position)).to.deep.equal([position]);
  });

  it('refuses what is not a position', async () => {
    for (const position of ['', '1', '8000000000000000', '000000000000000G', ' 000000000000001']) {
      const refused = await rejection(batchesOf(log, position as Position));
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'invalid');
    }
  });

  it('refuses an append without events', async () => {
    expect(await rejection(log.append(newStream(), NO_STREAM, [], metadata))).to.be.instanceOf(Error);
  });

  for (const [title, text] of [
    ['is no JSON', '{"text": '],
    ['is nothing', ''],
    ['is a text', '"text"'],
    ['is a number', '7'],
    ['is null', 'null'],
    ['is a list', '[{}]'],
  ] as const) {
    it(`cannot read an event of which the data or the metadata ${title}, and reads the others`, async () => {
      const [stream, data, facts] = [newStream(), newStream(), newStream()];
      await log.append(stream, NO_STREAM, [noted({}, 'NoteMoved')], metadata);
      plantEvent(directory.path, data, 'NoteTaken', { data: text });
      plantEvent(directory.path, facts, 'NoteTaken', { metadata: text });

      for (const reading of [log.read(data), batchesOf(log, null), batchesOf(log, null, ['NoteMoved'])]) {
        const error = await rejection(reading);
        expect(error).to.be.instanceOf(UnreadableEvent).with.property('position', '0000000000000002');
        expect(error).to.have.property('reason', 'its data is no JSON object');
      }
      expect(await rejection(log.read(facts))).to.have.property('reason', 'its metadata is no JSON object');
      expect((await log.read(stream)).revision).to.equal(0);
      expect((await batchesOf(log, null, ['NoteTaken']))[0]?.events).to.have.length(1);
    });
  }

  it('hands over many pages before an event that cannot be read', async () => {
    const stream = newStream();
    const many = Array.from({ length: 1300 }, () => noted());
    await log.append(stream, NO_STREAM, many, metadata);
    plantEvent(directory.path, stream, 'NoteTaken', { data: '' });
    const seen: Batch[] = [];
    const reading = async (): Promise<void> => {
      for await (const batch of log.readAll(null, [])) seen.push(batch);
    };
    expect(await rejection(reading()))
      .to.be.instanceOf(UnreadableEvent)
      .with.property('revision', 1300);
    expect(seen.map(({ events }) => events.length)).to.deep.equal([500, 500, 300]);
    expect(seen.at(-1)?.position).to.equal(seen.at(-1)?.events.at(-1)?.position);
  });

  it('is refused when a newer version has written it', async () => {
    await log.close();
    sql('PRAGMA user_version = 2');
    const refused = await rejection(sqliteEventLog(directory.path));
    sql('PRAGMA user_version = 1');

    expect(refused).to.be.instanceOf(Error).with.property('message').that.includes('newer version');
    log = await sqliteEventLog(directory.path);
  });

  it('writes what was handed in before it is closed, and nothing after', async () => {
    const stream = newStream();
    const appends = Array.from({ length: 1500 }, (_, n) => log.append(stream, n - 1, [noted()], metadata));
    const closed = log.close();
    const late = await rejection(log.append(stream, 1499, [noted()], metadata));
    await closed;

    expect((await Promise.all(appends)).at(-1)?.revision).to.equal(1499);
    expect(late).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    log = await sqliteEventLog(directory.path);
    expect((await log.read(stream)).revision).to.equal(1499);
  });

  it('stores nothing of a group of which the file refuses an event, says why, and goes on', async () => {
    sql(`CREATE TRIGGER refusing BEFORE INSERT ON events WHEN NEW.type = 'NoteMoved'
         BEGIN SELECT RAISE(ABORT, 'no room for notes that move'); END`);
    // While the first one is written, the others become a group.
    const [first, ...others] = [noted(), noted(), noted({}, 'NoteMoved')].map((event, nth) =>
      log.append(`note-${nth}`, NO_STREAM, [event], metadata),
    );
    await first;
    for (const refused of await Promise.all(others.map(rejection))) {
      expect(refused).to.be.instanceOf(Error).and.not.instanceOf(Problem);
      const reason = 'could not be written, nothing was stored: no room for notes that move';
      expect(refused).to.have.property('message', `The event log ${join(directory.path, 'log.sqlite')} ${reason}`);
    }
    expect((await log.append('note-1', NO_STREAM, [noted()], metadata)).position).to.equal('0000000000000002');
  });

  it('lets the thread do other things while it reads from end to end', async () => {
    await log.append(
      newStream(),
      NO_STREAM,
      Array.from({ length: 3000 }, () => noted()),
      metadata,
    );
    const large = Array.from({ length: 24 }, () => noted({ text: 'x'.repeat(256 * 1024) }));
    await log.append(newStream(), NO_STREAM, large, metadata);
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const batches = await batchesOf(log, null);
    clearImmediate(next);

    expect(Math.max(...batches.map(({ events }) => events.length))).to.equal(500);
    expect(batches.at(-1)?.events.length).to.be.lessThan(24);
    expect(turns).to.be.at.least(batches.length - 1);
  });

  it('tells another thread about each commit, and about nothing else', async () => {
    const notices = log.notices();
    const reader = sqliteLogReader(directory.path, log.notices(), hurried());
    const stream = newStream();
    const told: unknown[] = [];
    const areTold = async (count: number): Promise<void> => {
      for (let left = 2000; left > 0 && told.length < count; left -= 1) await pause(1);
    };
    const following = subscribed(reader, 2, [stream], null);
    const { position } = await log.append(stream, NO_STREAM, [noted()], metadata);
    notices.on('message', (end) => told.push(end));
    await rejection(log.append(stream, 7, [noted()], metadata));
    const later = await log.append(stream, 0, [noted()], metadata);

    expect((await following).map(({ revision }) => revision)).to.deep.equal([0, 1]);
    await areTold(2);
    expect(told).to.deep.equal([position, later.position]);
    // While the first one is written, the others become a group.
    const [first, , last] = await Promise.all([1, 2, 3].map((nth) => log.append(stream, nth, [noted()], metadata)));
    await areTold(4);
    expect(told.slice(2)).to.deep.equal([first?.position, last?.position]);
    const [next, middle] = [4, 5, 9].map((nth) => log.append(stream, nth, [noted()], metadata).catch(() => undefined));
    await next;
    await areTold(6);
    expect(told.at(-1)).to.equal((await middle)?.position);
    expect(await reader.end()).to.equal(await log.end());
    notices.close();
    reader.close();
  });

  it('hands several commits over together where nobody waits', async () => {
    const unhurried = hurried();
    const reader = sqliteLogReader(directory.path, log.notices(), unhurried);
    const { ease } = paceOf(unhurried, reader.goOn);
    const stopping = new AbortController();
    const stream = newStream();
    const lengths: number[] = [];
    const following = (async () => {
      for await (const { events } of reader.subscribe(null, [], stopping.signal)) {
        if (events.length > 0) lengths.push(events.length);
      }
    })();
    const pauseMs = 8;
    ease(pauseMs);
    const since = performance.now();
    for (let n = 0; n < 100; n += 1) await log.append(stream, n === 0 ? NO_STREAM : n - 1, [noted()], metadata);
    const pauses = Math.ceil((performance.now() - since) / pauseMs);
    while (lengths.reduce((sum, length) => sum + length, 0) < 100) await pause(1);
    // A timer may be early by a part of a turn.
    expect(lengths.length).to.be.at.most(1 + 1.5 * pauses);
    stopping.abort();
    await following;
    reader.close();
  });

  it('does not look beyond what it was told of', async () => {
    const stream = newStream();
    const notifications = logNotifications();
    const reader = logReader(directory.path, notifications);
    const stopping = new AbortController();
    const batches = reader.subscribe(null, [], stopping.signal)[Symbol.asyncIterator]();
    const told = await log.append(stream, NO_STREAM, [noted()], metadata);
    notifications.publish(told.position);
    expect((await batches.next()).value).to.have.property('position', told.position);
    const untold = await log.append(stream, 0, [noted()], metadata);
    const next = batches.next();
    expect(await Promise.race([next, pause(50)])).to.equal(undefined);
    notifications.publish(untold.position);
    expect((await next).value).to.have.property('position', untold.position);
    stopping.abort();
    await batches.next();
    reader.close();
  });

  it('reports a thread that fails while the log is closed', async () => {
    const thread = logThread(directory.path);
    const failures: Error[] = [];
    const writer = await logWriter(thread, {
      onAppended: () => undefined,
      onFailed: (error) => failures.push(error),
    });
    thread.postMessage(null);
    await writer.close();
    expect(failures).to.have.length(1);
  });

  // Ended while it is idle only: in the midst of a call, both engines take the whole process with them.
  for (const [title, die] of [
    [
      'fails',
      (thread: Worker) => {
        thread.postMessage(null);
      },
    ],
    ['is ended', (thread: Worker) => thread.terminate()],
  ] as const) {
    it(`refuses every append once the thread that writes ${title}, and says so`, async () => {
      const thread = logThread(directory.path);
      const failures: Error[] = [];
      const writer = await logWriter(thread, {
        onAppended: () => undefined,
        onFailed: (error) => failures.push(error),
      });
      const stream = newStream();
      await writer.append(stream, NO_STREAM, [noted()], metadata);
      const gone = new Promise((resolve) => thread.once('exit', resolve));
      await die(thread);
      const pending = [writer.append(stream, 0, [noted()], metadata), writer.append(stream, 1, [noted()], metadata)];
      const refused = await Promise.all(pending.map(rejection));
      await gone;
      refused.push(await rejection(writer.append(stream, 0, [noted()], metadata)));

      for (const error of refused) expect(error).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
      expect(failures).to.have.length(1);
      expect((await log.read(stream)).revision).to.equal(0);
      await writer.close();
    });
  }
});
