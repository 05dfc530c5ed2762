/** The sum that a computed field shows: of the fields with the same name in the children, however deep. */
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type ArtifactView } from '../artifact-view.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { CHILD_LINK } from '../../platform/link-types.js';
import { computedOf, manualOf, numberOf } from '../../trackers/field-types/canonical.js';

export interface ComputedLookup {
  /** Of those that the viewer may see; loaded before. */
  artifact(id: number): ArtifactView | undefined;
  /** Those that the viewer may read. */
  linksOf(artifact: ArtifactView): readonly Link[];
  /** With the fields that the viewer may read. */
  tracker(id: number): CompiledTracker | undefined;
}

/** Null when no child has a number. A child counts for each of its parents; a link that closes a circle does not. */
export function autocomputed(artifact: ArtifactView, name: string, lookup: ComputedLookup): number | null {
  const sums = new Map<number, number | null>();
  for (const parent of childrenFirst(artifact, name, lookup)) {
    const numbers = childrenOf(parent, lookup).map((child) => {
      const own = ownNumber(child, name, lookup);
      return own === 'sum' ? (sums.get(child.id) ?? null) : own;
    });
    sums.set(parent.id, sumOf(numbers));
  }
  return sums.get(artifact.id) ?? null;
}

/** All whose number is a sum, from the deepest up. With a stack of its own, since nothing limits how deep children go. */
function childrenFirst(artifact: ArtifactView, name: string, lookup: ComputedLookup): readonly ArtifactView[] {
  const order: ArtifactView[] = [];
  const seen = new Set<number>();
  const stack = [{ parent: artifact, isDone: false }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { parent, isDone } = top;
    if (isDone) order.push(parent);
    if (isDone || seen.has(parent.id)) continue;
    seen.add(parent.id);
    stack.push({ parent, isDone: true });
    const below = childrenOf(parent, lookup).filter((child) => ownNumber(child, name, lookup) === 'sum');
    stack.push(...below.map((child) => ({ parent: child, isDone: false })));
  }
  return order;
}

function childrenOf(artifact: ArtifactView, lookup: ComputedLookup): readonly ArtifactView[] {
  return lookup.linksOf(artifact).flatMap(({ id, type }) => (type === CHILD_LINK ? (lookup.artifact(id) ?? []) : []));
}

function ownNumber({ trackerId, values }: ArtifactView, name: string, lookup: ComputedLookup): number | 'sum' | null {
  const field = lookup.tracker(trackerId)?.fieldNamed(name);
  if (field === undefined) return null;
  const value = values[String(field.id)];
  if (field.type !== 'computed') return numberOf(value);
  return manualOf(value) ?? (computedOf(value) === undefined ? null : 'sum');
}

function sumOf(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length === 0 ? null : known.reduce((sum, number) => sum + number, 0);
}
