/** Makes artifacts as old as they are to be, straight in the log: each change raises one number by one. */
import { randomUUID } from 'node:crypto';
import { type ArtifactEvent, artifactStream } from '../../src/artifacts/artifact-events.js';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';

export interface RevisionsInput {
  readonly directory: string;
  readonly tracker: number;
  /** Of a number. */
  readonly field: number;
  /** The last revision of each, by the id of the artifact. */
  readonly last: Readonly<Record<string, number>>;
}

const AT_ONCE = 1000;

export async function revisions({ directory, tracker, field, last }: RevisionsInput): Promise<void> {
  const log = await sqliteEventLog(directory);
  const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: 'revisions' };
  for (const [id, to] of Object.entries(last)) {
    const stream = artifactStream(Number(id));
    for (let from = 0; from < to; from += AT_ONCE) {
      const changes = Array.from({ length: Math.min(AT_ONCE, to - from) }, (_, index) => from + index);
      await Promise.all(changes.map((revision) => log.append(stream, revision, [raised(revision)], metadata)));
    }
    function raised(number: number) {
      const data = { artifactId: Number(id), trackerId: tracker, values: { [field]: number } };
      const event: ArtifactEvent = { type: 'ArtifactValuesChanged', data };
      return { ...event, id: randomUUID() };
    }
  }
  await log.close();
}
