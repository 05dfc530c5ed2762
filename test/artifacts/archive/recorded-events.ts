/** Events of one artifact as a log holds them. */
import { type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { type Recorded } from '../../../src/core/event-log.js';
import { at as positionAt } from '../../stores/contracts/read-models-fixture.js';

/** The first event has no actor. */
export const recorded = <E extends ArtifactEvent>(event: E, revision: number): Recorded<E> => ({
  ...event,
  id: `e-${revision}`,
  stream: 'artifact-7',
  revision,
  position: positionAt(revision + 1),
  metadata: { actor: revision === 0 ? null : 115, at: '2026-03-01T12:00:00.000Z', schema: 1, commandId: 'c' },
});

export async function* slicesOf<T>(...slices: readonly T[]): AsyncGenerator<T> {
  for (const slice of slices) yield await Promise.resolve(slice);
}
