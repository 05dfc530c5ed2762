/** The artifacts that others link to: targets, and children on every level for the sums of computed fields. */
import { type End } from '../../core/concurrency/concurrency-limit.js';
import { beginHierarchy } from '../../core/logs/long-readings.js';
import { turnTaking } from '../../core/concurrency/others-turn.js';
import { CHILD_LINK } from '../../platform/link-types.js';
import { type ArtifactView } from '../artifact-view.js';
import { has, shownEnd, summedEnd, visibleSlices, type Reading } from './reading.js';

export type Linked = ReadonlyMap<number, ArtifactView>;

/** Those of any number of descendants that are shown, without their links. */
export async function targetsAmong(
  known: Linked,
  artifacts: readonly ArtifactView[],
  reading: Reading,
): Promise<Linked> {
  const turn = turnTaking(reading.gone);
  const targets = new Map<number, ArtifactView>();
  for (const { id } of artifacts.flatMap((artifact) => reading.viewer.linksOf(artifact))) {
    await turn();
    const target = known.get(id);
    if (target !== undefined && !targets.has(id)) targets.set(id, shownEnd(target, reading));
  }
  return targets;
}

/** Artifacts and their links, together, that are held for one request. To hold more is a long reading. */
const FEW_LINKED = 1000;

/**
 * Makes something of link targets; of `children` of artifacts with computed fields, on every level, to be summed up; or
 * of `all` of them. There may be any number of them, so they are held only meanwhile.
 */
export async function withLinked<T>(
  artifacts: readonly ArtifactView[],
  reading: Reading,
  wanted: 'targets' | 'children' | 'all',
  make: (known: Linked) => Promise<T>,
): Promise<T> {
  let end: End | undefined;
  const begin = async (count: number): Promise<void> => {
    if (count > FEW_LINKED) end ??= await beginHierarchy(reading.gone);
  };
  try {
    return await make(await linkedFrom(artifacts, reading, wanted, begin));
  } finally {
    end?.();
  }
}

/** `begin` is awaited before so many artifacts are held, and as soon as so many artifacts and links are. */
async function linkedFrom(
  artifacts: readonly ArtifactView[],
  reading: Reading,
  wanted: 'targets' | 'children' | 'all',
  begin: (count: number) => Promise<void>,
): Promise<Linked> {
  const { viewer, gone } = reading;
  const known = new Map<number, ArtifactView>();
  const asked = new Set<number>();
  let links = 0;
  const load = async (ids: Iterable<number>): Promise<void> => {
    const unknown = [...new Set(ids)].filter((id) => !asked.has(id));
    for (const id of unknown) asked.add(id);
    await begin(asked.size + links);
    for await (const visible of visibleSlices(unknown, reading)) {
      for (const end of visible.map((one) => summedEnd(one, reading))) {
        known.set(end.id, end);
        links += viewer.linksOf(end).length;
      }
      await begin(asked.size + links);
    }
  };
  const turn = turnTaking(gone);
  const summedChildren = async (parents: readonly ArtifactView[]): Promise<ReadonlySet<number>> => {
    const ids = new Set<number>();
    for (const parent of parents) {
      await turn();
      if (!has(parent, 'computed', reading)) continue;
      for (const { id, type } of viewer.linksOf(parent)) if (type === CHILD_LINK) ids.add(id);
    }
    return ids;
  };

  if (wanted !== 'children') await load(artifacts.flatMap((artifact) => viewer.linksOf(artifact)).map(({ id }) => id));
  if (wanted === 'targets') return known;
  const expanded = new Set(artifacts.map(({ id }) => id));
  for (let level = await summedChildren(artifacts); level.size > 0;) {
    await load(level);
    const parents = [...level].filter((id) => !expanded.has(id)).flatMap((id) => known.get(id) ?? []);
    for (const { id } of parents) expanded.add(id);
    level = await summedChildren(parents);
  }
  return known;
}

/** The ids of the visible artifacts that an artifact links to. */
export async function targetsOf(artifact: ArtifactView, reading: Reading): Promise<ReadonlySet<number>> {
  if (!has(artifact, 'art_link', reading)) return new Set();
  return withLinked([artifact], reading, 'targets', (known) => Promise.resolve(new Set(known.keys())));
}
