/** The changesets of a page, some at a time: of a large artifact, a page of them is more than memory holds. */
import { type Revision } from '../../core/event-log.js';
import { type ArtifactView } from '../artifact-view.js';
import { changesetSlices, type Changeset } from './changesets.js';
import { SLICE_CHARACTERS, sizeOfValues } from '../representation/in-slices.js';
import { type LogReading } from './entries.js';

/** The state of an artifact that further changes come upon. */
type Start = ArtifactView | null;

interface Group {
  /** In the order of the page. */
  readonly changesets: readonly Changeset[];
  /** From where the rest of the page is read. */
  readonly start: Start;
}

/** Those of these revisions, in their order. No other is held, and of the artifact's states one. */
export async function* changesetGroups(
  revisions: readonly Revision[],
  of: Pick<ArtifactView, 'id' | 'atid'>,
  reading: LogReading,
): AsyncGenerator<readonly Changeset[], void, void> {
  const next = revisions[0] === Math.min(...revisions) ? firstOf : lastOf;
  let start: Start = null;
  for (let left = revisions; left.length > 0;) {
    const changes = changesFrom(start, Math.max(...left), of, reading);
    const group: Group = await next(new Set(left), changes, start);
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

/** A change shows the whole state after it. */
const sizeOf = (changeset: Changeset | undefined): number => sizeOfValues(changeset?.artifact.values ?? {});

/** As many as are shown at a time: a group is held until its reader has taken it. */
async function firstOf(wanted: ReadonlySet<Revision>, changes: Changes, from: Start): Promise<Group> {
  const changesets: Changeset[] = [];
  let start = from;
  let size = 0;
  for await (const changeset of changes) {
    start = changeset.artifact;
    if (!wanted.has(start.revision)) continue;
    changesets.push(changeset);
    size += sizeOf(changeset);
    if (size >= SLICE_CHARACTERS) break;
  }
  return { changesets, start };
}

/** The same from the end. */
async function lastOf(wanted: ReadonlySet<Revision>, changes: Changes, from: Start): Promise<Group> {
  const changesets: Changeset[] = [];
  let start = from;
  let size = 0;
  for await (const changeset of changes) {
    if (wanted.has(changeset.artifact.revision)) {
      changesets.push(changeset);
      size += sizeOf(changeset);
    } else if (changesets.length === 0) start = changeset.artifact;
    while (size > SLICE_CHARACTERS && changesets.length > 1) {
      size -= sizeOf(changesets[0]);
      changesets.shift();
    }
  }
  return { changesets: changesets.reverse(), start };
}
