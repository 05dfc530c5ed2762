/** The sums that computed fields of artifacts show. */
import { inTurns } from '../../core/concurrency/others-turn.js';
import { type ArtifactView } from '../artifact-view.js';
import { autocomputed, type ComputedLookup } from '../fields/autocomputed.js';
import { type Reading } from './reading.js';

/** Of the field of this name. Null where it is unknown. */
export type SumOf = (id: number, name: string) => number | null;

/** Over the children as far as the viewer knows them. `linked` knows all of them, on every level. */
export async function sumsOf(
  artifacts: readonly ArtifactView[],
  { definitions, viewer, gone }: Pick<Reading, 'definitions' | 'viewer' | 'gone'>,
  linked: ComputedLookup['artifact'],
): Promise<SumOf> {
  const lookup: ComputedLookup = {
    artifact: linked,
    linksOf: (parent) => viewer.linksOf(parent),
    tracker: (id) => {
      const tracker = definitions.tracker(id);
      return tracker && viewer.readable(tracker);
    },
  };
  const sums = new Map<string, ReadonlyMap<number, number | null>>();
  for (const [name, summed] of summedByName(artifacts, lookup)) {
    sums.set(name, await inTurns(autocomputed(summed, name, lookup), gone));
  }
  return (id, name) => sums.get(name)?.get(id) ?? null;
}

function summedByName(
  artifacts: readonly ArtifactView[],
  lookup: ComputedLookup,
): ReadonlyMap<string, readonly ArtifactView[]> {
  const summed = new Map<string, ArtifactView[]>();
  for (const artifact of artifacts) {
    for (const { name } of lookup.tracker(artifact.trackerId)?.ofType('computed') ?? []) {
      const others = summed.get(name);
      if (others === undefined) summed.set(name, [artifact]);
      else others.push(artifact);
    }
  }
  return summed;
}
