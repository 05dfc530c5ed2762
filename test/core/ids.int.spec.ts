import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { idAllocator, idsStream, type IdsEvent } from '../../src/core/ids.js';
import { RevisionConflict, type EventLog } from '../../src/core/event-log.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const clock = () => new Date('2026-03-01T12:00:00.000Z');

describe('ids', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;
  let kind: string;

  before(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
  });
  beforeEach(() => {
    kind = randomUUID();
  });
  after(async () => {
    await log.close();
    await directory.remove();
  });

  const blocks = async (): Promise<number> => (await log.read(idsStream(kind))).events.length;

  it('start after the built-in ones', async () => {
    expect(await idAllocator(log, kind, { clock }).next()).to.equal(101);
  });

  it('reserve nothing before the first request', async () => {
    idAllocator(log, kind, { clock });
    expect(await blocks()).to.equal(0);
  });

  it('are reserved ahead once half a block is used', async () => {
    const ids = idAllocator(log, kind, { clock, blockSize: 4 });
    await ids.next();
    expect(await blocks()).to.equal(1);
    for (let taken = 1; taken < 5; taken += 1) await ids.next();
    expect(await blocks()).to.equal(2);
  });

  it('come in larger blocks while they are used up fast, and in small ones again afterwards', async () => {
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    const ids = idAllocator(log, kind, { clock: () => new Date(now), blockSize: 10 });
    const take = async (count: number): Promise<void> => {
      for (let taken = 0; taken < count; taken += 1) await ids.next();
    };
    const sizes = async (): Promise<readonly number[]> =>
      (await log.read<IdsEvent>(idsStream(kind))).events.map(({ data: { from, to } }) => to + 1 - from);
    await take(45);
    expect(await sizes()).to.deep.equal([10, 20, 40]);
    now += 60_000;
    await take(29);
    expect(await sizes()).to.deep.equal([10, 20, 40, 10]);
    await take(600);
    // One more may be reserved ahead by now.
    expect((await sizes()).slice(4, 10)).to.deep.equal([20, 40, 80, 160, 160, 160]);
  });

  it('go on in the next block after a restart', async () => {
    await idAllocator(log, kind, { clock }).next();
    expect(await idAllocator(log, kind, { clock }).next()).to.equal(201);
  });

  it('continue once the log accepts blocks again', async () => {
    let isDown = true;
    const failing: EventLog = {
      ...log,
      append: (...append) => (isDown ? Promise.reject(new Error('no space left')) : log.append(...append)),
    };
    const ids = idAllocator(failing, kind, { clock });
    const [refused] = await Promise.allSettled([ids.next()]);
    expect(refused.status).to.equal('rejected');
    isDown = false;
    expect(await ids.next()).to.equal(101);
  });

  it('continue after a block ahead was refused, which at most the caller who needs it is told', async () => {
    let blocksAsked = 0;
    const failing: EventLog = {
      ...log,
      append: (...append) => {
        blocksAsked += 1;
        return blocksAsked === 2 ? Promise.reject(new Error('no space left')) : log.append(...append);
      },
    };
    const ids = idAllocator(failing, kind, { clock, blockSize: 2 });
    expect([await ids.next(), await ids.next()]).to.deep.equal([101, 102]);
    expect(blocksAsked).to.equal(2);
    await Promise.allSettled([ids.next()]);
    expect(await ids.next()).to.be.oneOf([103, 104]);
  });

  it('are refused for a while, and retried with pauses, if other processes take every block', async () => {
    let tries = 0;
    const lost: EventLog = {
      ...log,
      append: (stream, expected) => {
        tries += 1;
        // Lets the time-out of the spec come, should it go on for ever.
        return new Promise((_, reject) => setImmediate(reject, new RevisionConflict(stream, expected, expected + 1)));
      },
    };
    const began = performance.now();
    const refused = await rejection(idAllocator(lost, kind, { clock }).next());
    expect(refused).to.include({ kind: 'unavailable' });
    expect(tries).to.be.within(3, performance.now() - began);
  });

  it('grow in the order of the calls and never repeat, for all callers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 40 }),
        async (blockSize, calls) => {
          const shared = randomUUID();
          const processes = [0, 1, 2].map(() => idAllocator(log, shared, { clock, blockSize }));
          const given = await Promise.all(
            calls.map(async (caller) => ({ caller, id: (await processes[caller]?.next()) ?? 0 })),
          );
          expect(new Set(given.map(({ id }) => id)).size).to.equal(calls.length);
          for (const caller of [0, 1, 2]) {
            const own = given.filter((one) => one.caller === caller).map(({ id }) => id);
            expect(own).to.deep.equal([...own].sort((a, b) => a - b));
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
