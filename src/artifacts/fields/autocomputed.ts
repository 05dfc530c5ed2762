/** The sum that a computed field shows: of the fields with the same name in the children, however deep. */
import { type Steps } from '../../core/concurrency/others-turn.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type ArtifactView } from '../artifact-view.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { CHILD_LINK } from '../../platform/link-types.js';
import { computedOf, manualOf, numberOf } from '../../trackers/field-types/canonical.js';
import { heldIn } from './values.js';

export interface ComputedLookup {
  /** Of those that the viewer may see; loaded before. */
  artifact(id: number): ArtifactView | undefined;
  /** Those that the viewer may read. */
  linksOf(artifact: ArtifactView): readonly Link[];
  /** With the fields that the viewer may read. */
  tracker(id: number): CompiledTracker | undefined;
}

interface Node {
  readonly artifact: ArtifactView;
  readonly own: number | 'sum' | null;
  /** Undefined until they are asked for: none of them many times. */
  children: readonly Node[] | undefined;
}

/**
 * Of each of these, by id. Null when none below has a number. What is below by several ways counts once
 * (docs/decisions/0068-a-sum-counts-each-artifact-once.md).
 */
export function* autocomputed(
  artifacts: readonly ArtifactView[],
  name: string,
  lookup: ComputedLookup,
): Steps<ReadonlyMap<number, number | null>> {
  const { nodeOf, childrenOf } = graph(name, lookup);
  const sums = new Map<number, number | null>();
  for (const root of artifacts.map(nodeOf)) sums.set(root.artifact.id, yield* sumBelow(root, childrenOf));
  return sums;
}

/** One node for each artifact, as it was first met. */
function graph(name: string, lookup: ComputedLookup) {
  const nodes = new Map<number, Node>();
  const nodeOf = (artifact: ArtifactView): Node => {
    const known = nodes.get(artifact.id);
    if (known !== undefined) return known;
    const own = ownNumber(artifact, name, lookup);
    const made: Node = { artifact, own, children: undefined };
    nodes.set(artifact.id, made);
    return made;
  };
  const childrenOf = (parent: Node): readonly Node[] =>
    (parent.children ??= childIds(lookup.linksOf(parent.artifact)).flatMap((id) => {
      const child = lookup.artifact(id);
      return child === undefined ? [] : nodeOf(child);
    }));
  return { nodeOf, childrenOf };
}

/** Each once: several fields may link to it. */
const childIds = (links: readonly Link[]): readonly number[] => [
  ...new Set(links.flatMap(({ id, type }) => (type === CHILD_LINK ? [id] : []))),
];

/** Level by level. Whatever number the root holds itself is not below it, in a circle either. */
function* sumBelow(root: Node, childrenOf: (parent: Node) => readonly Node[]): Steps<number | null> {
  const met = new Set([root]);
  let total: number | null = null;
  // A set goes on with what is added meanwhile.
  for (const node of met) {
    if (node === root || node.own === 'sum') childrenOf(node).forEach((child) => met.add(child));
    else if (node.own !== null) total = finite((total ?? 0) + node.own);
    yield;
  }
  return total;
}

/** JSON has no infinity. */
const finite = (sum: number): number => Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);

function ownNumber({ trackerId, values }: ArtifactView, name: string, lookup: ComputedLookup): number | 'sum' | null {
  const field = lookup.tracker(trackerId)?.fieldNamed(name);
  if (field === undefined) return null;
  const value = heldIn(values, field);
  if (field.type !== 'computed') return numberOf(value);
  return manualOf(value) ?? (computedOf(value) === undefined ? null : 'sum');
}
