import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactDecider } from '../../../src/artifacts/artifact.js';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { releaseClaims } from '../../../src/artifacts/attachments/claims.js';
import { NO_STREAM, type Event, type EventLog } from '../../../src/core/event-log.js';
import { foldedStream } from '../../../src/core/folded-streams.js';
import { fileStream, type FileEvent } from '../../../src/files/file-events.js';
import { sqliteEventLog, type SqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const EVENTS = 20_000;
const artifactId = 7;
const stream = artifactStream(artifactId);
const metadata = { actor: null, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: 'c' };
const withIds = <E extends Event>(events: readonly E[]) => events.map((event) => ({ ...event, id: randomUUID() }));

/** It is read ahead, because it tells where the stream ends. */
const LAST_SLICE = 500;

describe('A claim of a file by an artifact that has attached thousands of files', () => {
  let directory: TemporaryDirectory;
  let stored: SqliteEventLog;
  before(async () => {
    directory = await temporaryDirectory();
    stored = await sqliteEventLog(directory.path);
    const ids = { artifactId, trackerId: 101 };
    for (let from = 0; from < EVENTS; from += 500) {
      const events = Array.from({ length: 500 }, (_, n): ArtifactEvent => {
        const data = { ...ids, values: {}, attachedFiles: [100_000 + from + n] };
        return { type: from + n === 0 ? 'ArtifactSubmitted' : 'ArtifactValuesChanged', data };
      });
      await stored.append(stream, from === 0 ? NO_STREAM : from - 1, withIds(events), metadata);
    }
  });
  after(async () => {
    await stored.close();
    await directory.remove();
  });

  const claimed = async (fileId: number) => {
    const claim = { artifactId, fieldId: 13, commandId: randomUUID(), upon: EVENTS - 1 };
    const info = { owner: 115, name: 'a', mediaType: 'text/plain', description: '', expected: null, fieldId: null };
    const events: readonly FileEvent[] = [
      { type: 'FileUploadStarted', data: { fileId, ...info } },
      { type: 'FileAttached', data: { fileId, owner: 115, ...claim } },
    ];
    await stored.append(fileStream(fileId), NO_STREAM, withIds(events), metadata);
    return { fileId, claim };
  };

  it('is released by one reading of the stream, and its state stays for the next command', async () => {
    let read = 0;
    const log: EventLog = {
      ...stored,
      read: async <E extends Event>(...given: Parameters<EventLog['read']>) => {
        const slice = await stored.read<E>(...given);
        if (given[0] === stream) read += slice.events.length;
        return slice;
      },
    };
    await foldedStream(log, artifactDecider, stream);
    const held = [await claimed(200_000), await claimed(100_007)];

    read = 0;
    const began = performance.now();
    expect(await releaseClaims(artifactId, held, { log, clock: () => new Date() }, null)).to.equal(1);
    // It was 12 seconds while the files of each event were copied.
    expect(performance.now() - began).to.be.below(4000);
    expect(read).to.be.within(EVENTS, EVENTS + LAST_SLICE);

    read = 0;
    expect((await foldedStream(log, artifactDecider, stream)).current.revision).to.equal(EVENTS);
    expect(read).to.equal(2);
  });
});
