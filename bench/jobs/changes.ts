/** Changes of artifacts straight into the log, in an order that has nothing to do with that of their submission. */
import { randomUUID } from 'node:crypto';
import { type ArtifactEvent, artifactStream } from '../../src/artifacts/artifact-events.js';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { sentence } from '../words.js';

export interface ChangesInput {
  readonly directory: string;
  readonly tracker: number;
  /** Of the tracker; none has been changed yet. */
  readonly ids: readonly number[];
  readonly fields: Readonly<Record<string, number>>;
  readonly statuses: readonly number[];
  /** Of each artifact. */
  readonly times: number;
}

const AT_ONCE = 4096;

export async function changes(input: ChangesInput): Promise<void> {
  const { directory, tracker, ids, fields, statuses, times } = input;
  const log = await sqliteEventLog(directory);
  const order = shuffled(Array.from({ length: times }, () => ids).flat());
  const revisions = new Map<number, number>();
  const change = async (id: number, nth: number): Promise<unknown> => {
    const revision = revisions.get(id) ?? 0;
    revisions.set(id, revision + 1);
    const values = {
      [String(fields['title'])]: sentence(nth, 7),
      [String(fields['status'])]: statuses.slice(nth % statuses.length).slice(0, 1),
      [String(fields['notes'])]: { text: sentence(nth + 3, 15), format: 'text' as const },
    };
    const data = { artifactId: id, trackerId: tracker, values };
    const event: ArtifactEvent = { type: 'ArtifactValuesChanged', data };
    const at = new Date(Date.UTC(2025, 0, 1) + nth * 1000).toISOString();
    const metadata = { actor: null, at, schema: 1, commandId: `change-${nth}` };
    return log.append(artifactStream(id), revision, [{ ...event, id: randomUUID() }], metadata);
  };
  for (let from = 0; from < order.length; from += AT_ONCE) {
    await Promise.all(order.slice(from, from + AT_ONCE).map((id, index) => change(id, from + index)));
  }
  await log.close();
}

/** Always alike. */
function shuffled(ids: readonly number[]): readonly number[] {
  let state = 1;
  const ranked = ids.map((id) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { id, rank: state };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ id }) => id);
}
