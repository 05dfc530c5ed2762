/** What one field asks for, and how its faults are named. */
import { type Violation } from '../../core/problem.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { type Artifact } from '../artifact.js';
import { type FieldInput } from '../fields/field-input.js';
import { placeOfEnd, type LinkWish } from '../fields/links.js';

export interface LinkRequest {
  readonly wish: LinkWish;
  /** The sources that the write names, in whichever field. */
  readonly named: ReadonlySet<number>;
  /** The element of `values` that says so, and its place. */
  readonly input: FieldInput;
  readonly pointer: string;
  readonly label: string;
  /** The artifact as it stands; left out for a new one. */
  readonly target?: Artifact;
  /** The links that the field holds. */
  readonly held: readonly Link[];
  /** Whether the viewer may read them. */
  readonly isRead: boolean;
}

/** How many of them are named, of however many there are. */
const MAX_REFUSED = 100;

export function faultsOf(
  { pointer, input, label }: LinkRequest,
  ids: readonly number[],
  why: string,
  direction?: 'reverse',
): readonly Violation[] {
  return ids.slice(0, MAX_REFUSED).map((id) => ({
    pointer: `${pointer}${placeOfEnd(input, id, direction)}`,
    message: `${label}: ${id} ${why}`,
  }));
}
