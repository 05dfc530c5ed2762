/** The changesets of a page, some at a time: of a large artifact, a page of them is more than memory holds. */
import { heapSize, textSize } from '../../core/bounds.js';
import { type Revision } from '../../core/event-log.js';
import { type ArtifactView } from '../artifact-view.js';
import { changesetSlices, type Changeset } from './changesets.js';
import { type LogReading } from './entries.js';

/** In bytes of the heap, about: what those of a group hold beside one state. */
const MOST_HELD = 524_288;

/** The state of an artifact that further changes come upon. */
type Start = ArtifactView | null;

/** What is shown of one. */
export type ShownChangeset = Pick<Changeset, 'artifact' | 'comment'>;

interface Page {
  /** In their order. */
  readonly revisions: readonly Revision[];
  /** Without values, their states have none. */
  readonly withValues: boolean;
}

interface Group {
  /** In the order of the page. */
  readonly changesets: readonly ShownChangeset[];
  /** From where the rest of the page is read. */
  readonly start: Start;
}

/** Those of these revisions, in their order. No other is held, and of the artifact's states one. */
export async function* changesetGroups(
  { revisions, withValues }: Page,
  of: Pick<ArtifactView, 'id' | 'atid'>,
  reading: LogReading,
): AsyncGenerator<readonly ShownChangeset[], void, void> {
  const next = revisions[0] === Math.min(...revisions) ? firstOf : lastOf;
  const shown = withValues ? withState : withoutValues;
  let start: Start = null;
  for (let left = revisions; left.length > 0;) {
    const changes = changesFrom(start, Math.max(...left), of, reading);
    const wanted = new Set(left);
    const group: Group = await next(changes, start, (state) => wanted.has(state.revision), shown);
    start = group.start;
    left = left.slice(group.changesets.length);
    yield group.changesets;
  }
}

type Changes = AsyncGenerator<Changeset, void, void>;

async function* changesFrom(
  start: Start,
  end: Revision,
  of: Pick<ArtifactView, 'id' | 'atid'>,
  reading: LogReading,
): Changes {
  for await (const changesets of changesetSlices(of, reading, start)) {
    for (const changeset of changesets) {
      yield changeset;
      if (changeset.artifact.revision === end) return;
    }
  }
  throw new Error(`artifact ${of.id} has lost its changeset of revision ${end}`);
}

type Shown = (changeset: Changeset) => ShownChangeset;

const withState: Shown = ({ artifact, comment }) => ({ artifact, comment });
const withoutValues: Shown = ({ artifact, comment }) => ({ artifact: { ...artifact, values: {} }, comment });

type Wanted = (state: ArtifactView) => boolean;

/** As many as are held at a time: a group is held until its reader has taken it. */
async function firstOf(changes: Changes, from: Start, isWanted: Wanted, shown: Shown): Promise<Group> {
  const changesets: ShownChangeset[] = [];
  let start = from;
  let size = 0;
  for await (const changeset of changes) {
    start = changeset.artifact;
    if (!isWanted(start)) continue;
    const one = shown(changeset);
    size += sizeOfComment(one) + sizeBeside(changesets.at(-1), one);
    changesets.push(one);
    if (size >= MOST_HELD) break;
  }
  return { changesets, start };
}

/** The same from the end. */
async function lastOf(changes: Changes, from: Start, isWanted: Wanted, shown: Shown): Promise<Group> {
  const changesets: ShownChangeset[] = [];
  let start = from;
  let size = 0;
  for await (const changeset of changes) {
    if (isWanted(changeset.artifact)) {
      const one = shown(changeset);
      size += sizeOfComment(one) + sizeBeside(changesets.at(-1), one);
      changesets.push(one);
    } else if (changesets.length === 0) start = changeset.artifact;
    while (size > MOST_HELD && changesets.length > 1) {
      const left = changesets.shift();
      size -= sizeOfComment(left) + sizeBeside(left, changesets[0]);
    }
  }
  return { changesets: changesets.reverse(), start };
}

const sizeOfComment = (changeset: ShownChangeset | undefined): number => textSize(changeset?.comment.text ?? '');

/** What the later one of two holds beside the earlier one. States share the values that no change between them wrote. */
function sizeBeside(earlier: ShownChangeset | undefined, later: ShownChangeset | undefined): number {
  if (earlier === undefined || later === undefined) return 0;
  const held = earlier.artifact.values;
  const changed = Object.entries(later.artifact.values).filter(([key, value]) => held[key] !== value);
  return changed.reduce((size, [, value]) => size + heapSize(value), 0);
}
