/** A log that takes a while to fold, made by copying what a service has written. */
import { randomUUID } from 'node:crypto';
import { type NewEvent, type StreamName } from '../../../src/core/event-log.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';

/** Copies the first artifact under ids from 1,000,001 on, in the data directory of a service that does not run. */
export async function copyArtifact(dataDir: string, copies: number): Promise<void> {
  const log = await sqliteEventLog(dataDir);
  for await (const { events } of log.readAll(null, [])) {
    const first = events.find(({ type }) => type === 'ArtifactSubmitted');
    if (first === undefined) continue;
    const appends = Array.from({ length: copies }, (_, index) => {
      const artifactId = 1_000_001 + index;
      const event: NewEvent = { id: randomUUID(), type: first.type, data: { ...first.data, artifactId } };
      return log.append(`artifact-${artifactId}`, -1, [event], first.metadata);
    });
    await Promise.all(appends);
    break;
  }
  await log.close();
}

/** Appends by hand what no decider would have decided. */
export async function appendByHand(dataDir: string, stream: StreamName, type: string, data: object): Promise<void> {
  const log = await sqliteEventLog(dataDir);
  const { revision } = await log.read(stream);
  const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
  await log.append(stream, revision, [{ id: randomUUID(), type, data }], metadata);
  await log.close();
}
