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
  /** As far as it is known. */
  sum: number | null;
  /** The artifact of the last walk that came by. */
  root: number | undefined;
  /** No link below closes a circle: the sum is the same for every walk. */
  isFinal: boolean;
}

/**
 * Of each of these, by id. Null when no child has a number. A child counts for each of its parents; a link that closes
 * a circle does not. Which one does depends on where the walk begins.
 */
export function* autocomputed(
  artifacts: readonly ArtifactView[],
  name: string,
  lookup: ComputedLookup,
): Steps<ReadonlyMap<number, number | null>> {
  const { nodeOf, childrenOf } = graph(name, lookup);
  const sums = new Map<number, number | null>();
  for (const root of artifacts.map(nodeOf)) {
    if (!root.isFinal) yield* walk(root, childrenOf);
    sums.set(root.artifact.id, root.sum);
  }
  return sums;
}

/** One node for each artifact, as it was first met. */
function graph(name: string, lookup: ComputedLookup) {
  const nodes = new Map<number, Node>();
  const nodeOf = (artifact: ArtifactView): Node => {
    const known = nodes.get(artifact.id);
    if (known !== undefined) return known;
    const own = ownNumber(artifact, name, lookup);
    const made: Node = { artifact, own, children: undefined, sum: null, root: undefined, isFinal: false };
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

interface Step {
  readonly parent: Node;
  readonly children: readonly Node[];
  /** Of the children: the walk goes from the last one to the first. */
  left: number;
}

/** From the deepest up. With a path of its own, since nothing limits how deep children go. */
function* walk(root: Node, childrenOf: (parent: Node) => readonly Node[]): Steps<void> {
  const enter = (parent: Node): Step => {
    const children = childrenOf(parent);
    parent.root = root.artifact.id;
    parent.sum = null;
    return { parent, children, left: children.length };
  };
  const path = [enter(root)];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const below = nextBelow(top);
    if (below === undefined) settle(top);
    if (below === undefined) path.pop();
    else path.push(enter(below));
    yield;
  }
}

function nextBelow(step: Step): Node | undefined {
  while (step.left > 0) {
    step.left -= 1;
    const child = step.children[step.left];
    if (child?.own === 'sum' && !child.isFinal && child.root !== step.parent.root) return child;
  }
  return undefined;
}

/** JSON has no infinity. */
const finite = (sum: number): number => Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);

/** Those of its children that are on the path still have no sum. */
function settle({ parent, children }: Step): void {
  let total: number | null = null;
  let isFinal = true;
  for (const { own, sum, isFinal: isSettled } of children) {
    const number = own === 'sum' ? sum : own;
    if (number !== null) total = finite((total ?? 0) + number);
    if (own === 'sum' && !isSettled) isFinal = false;
  }
  parent.sum = total;
  parent.isFinal = isFinal;
}

function ownNumber({ trackerId, values }: ArtifactView, name: string, lookup: ComputedLookup): number | 'sum' | null {
  const field = lookup.tracker(trackerId)?.fieldNamed(name);
  if (field === undefined) return null;
  const value = heldIn(values, field);
  if (field.type !== 'computed') return numberOf(value);
  return manualOf(value) ?? (computedOf(value) === undefined ? null : 'sum');
}
