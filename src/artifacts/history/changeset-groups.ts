/** The changesets of a page, some at a time: of a large artifact, a page of them is more than memory holds. */
import { type Revision } from '../../core/event-log.js';
import { type ArtifactView } from '../artifact-view.js';
import { inSlices } from '../representation/in-slices.js';
import { changesetSlices, type Changeset } from './changesets.js';
import { type LogReading } from './entries.js';

/** In bytes of the heap, about: what those of a group hold beside one state. */
const MOST_HELD = 524_288;

/** What is shown of one. */
export type ShownChangeset = Pick<Changeset, 'artifact' | 'comment'>;

export interface Place {
  readonly revision: Revision;
  /** What it holds beside the one before it: states share the values that no change between them wrote. */
  readonly size: number;
}

interface Page {
  /** In their order. */
  readonly places: readonly Place[];
  /** Without values, their states have none. */
  readonly withValues: boolean;
}

/** Those at these places, in their order. No other is held, and of the artifact's states one. */
export async function* changesetGroups(
  { places, withValues }: Page,
  of: Pick<ArtifactView, 'id' | 'atid'>,
  reading: LogReading,
): AsyncGenerator<readonly ShownChangeset[], void, void> {
  let start: ArtifactView | null = null;
  let count = 0;
  for await (const group of inSlices(places, ({ size }) => size, MOST_HELD)) {
    count += group.length;
    const [end, next] = [Math.max(...revisionsOf(group)), Math.min(...revisionsOf(places.slice(count)))];
    const wanted = new Set(revisionsOf(group));
    const found: ShownChangeset[] = [];
    for await (const { artifact, comment } of changesFrom(start, end, of, reading)) {
      const { revision } = artifact;
      if (wanted.has(revision)) found.push({ artifact: withValues ? artifact : { ...artifact, values: {} }, comment });
      // From there, the rest of the page is read.
      if (revision < next) start = artifact;
    }
    yield group[0]?.revision === end ? found.reverse() : found;
  }
}

const revisionsOf = (places: readonly Place[]): readonly Revision[] => places.map(({ revision }) => revision);

async function* changesFrom(
  start: ArtifactView | null,
  end: Revision,
  of: Pick<ArtifactView, 'id' | 'atid'>,
  reading: LogReading,
): AsyncGenerator<Changeset, void, void> {
  for await (const changesets of changesetSlices(of, reading, start)) {
    for (const changeset of changesets) {
      yield changeset;
      if (changeset.artifact.revision === end) return;
    }
  }
  throw new Error(`artifact ${of.id} has lost its changeset of revision ${end}`);
}
