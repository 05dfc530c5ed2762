import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { deletionDecider, deletionsLeft } from '../../../src/artifacts/deletions/deletion-count.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { NO_STREAM, type Event, type EventLog } from '../../../src/core/event-log.js';
import { handle } from '../../../src/core/handle.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const userId = 101;
const stream = deletionsStream(userId);
const NUMBER = 20_000;
/** They expire together. */
const PER_MINUTE = Math.ceil(NUMBER / (24 * 60));
/** It is read ahead, because it tells where the stream ends. */
const LAST_SLICE = 500;
const DAY_MS = 24 * 60 * 60 * 1000;
const atOf = (n: number): string => new Date(Date.UTC(2026, 2, 1) + (n * DAY_MS) / NUMBER).toISOString();

describe('the deletions of a user who deletes 20,000 artifacts in a day', () => {
  it('are read once, and then only the new ones', async () => {
    const directory = await temporaryDirectory();
    const stored = await sqliteEventLog(directory.path);
    for (let from = 0; from < NUMBER; from += 500) {
      const events = Array.from({ length: 500 }, (_, index) => {
        const data = { userId, artifactId: from + index, deletionId: randomUUID(), at: atOf(from + index) };
        return { type: 'DeletionCounted', data, id: randomUUID() };
      });
      const metadata = { actor: userId, at: atOf(from), schema: 1, commandId: randomUUID() };
      await stored.append(stream, from === 0 ? NO_STREAM : from - 1, events, metadata);
    }
    let read = 0;
    const log: EventLog = {
      ...stored,
      read: async <E extends Event>(...given: Parameters<EventLog['read']>) => {
        const slice = await stored.read<E>(...given);
        read += slice.events.length;
        return slice;
      },
    };
    const deletion = async (n: number) => {
      const [deletionId, at] = [randomUUID(), atOf(n)];
      const { state } = await handle(log, deletionDecider, {
        stream,
        commandId: deletionId,
        isNew: true,
        metadata: { actor: userId, at },
        command: () => ({ type: 'CountDeletion', userId, artifactId: n, deletionId, at, limit: 50_000 }) as const,
      });
      return deletionsLeft(state, 50_000, at);
    };
    expect(await deletion(NUMBER)).to.be.within(30_000 - PER_MINUTE, 30_000);
    expect(read).to.be.within(NUMBER + 1, NUMBER + 1 + LAST_SLICE);
    read = 0;
    expect(await deletion(NUMBER + 1)).to.be.within(30_000 - PER_MINUTE, 30_000);
    // The last one, which is no summary, and from the last known one on.
    expect(read).to.equal(3);
    await stored.close();
    await directory.remove();
  });
});
