/** Artifacts by their events alone: many at once, or such as no service would write. */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { NO_STREAM, type EventLog, type Position } from '../../src/core/event-log.js';
import { type RunningService } from './service.js';

/** A call to a server that waits behind too many others is given up. */
const AT_ONCE = 50;

/** The ids of as many new artifacts as there are values, in their order. */
export async function plantedArtifacts(
  { service }: Pick<RunningService, 'service'>,
  trackerId: number,
  all: readonly FieldValues[],
  log: EventLog = service.log,
): Promise<readonly number[]> {
  const ids = await Promise.all(all.map(() => service.idsOf('artifact').next()));
  const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
  const submit = async (artifactId: number, values: FieldValues | undefined): Promise<Position> => {
    const event = { type: 'ArtifactSubmitted', data: { artifactId, trackerId, values }, id: randomUUID() };
    return (await log.append(artifactStream(artifactId), NO_STREAM, [event], metadata)).position;
  };
  let last: Position | undefined;
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    const positions = await Promise.all(some.map((id, index) => submit(id, all[from + index])));
    last = positions.sort().at(-1);
  }
  if (last !== undefined) expect(await service.readModels.caughtUp(ARTIFACTS, last, 60_000)).to.equal(true);
  return ids;
}
