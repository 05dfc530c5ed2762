/**
 * What relations mean for a reader: the ids of the artifacts that have them. They are read before the page is asked for:
 * no entry of an artifact tells who may see the other ends of its links.
 */
import { plainQuery, type Criterion } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { artifactViews, ownKey, SOURCE_KEY } from '../artifact-view.js';
import { visibleArtifacts } from '../filter/visibility.js';
import { type Reading } from '../representation/load-related.js';
import { trackerCounts } from '../tracker-counts.js';
import { type Meaning } from './criteria.js';
import { type Relation } from './expression.js';
import { FaultyQuery } from './faults.js';
import { linksFrom, linksTo, type LinkEnd, type SeenLink } from './seen-links.js';

/** Artifacts whose links are gone through, in one direction, and ids that a relation finds. */
const MAX_RELATED = 10_000;
/** Are asked for at a time. */
const CANDIDATES = 500;

interface Search {
  readonly meaning: Meaning;
  readonly tracker: CompiledTracker;
  readonly reading: Reading;
}

/** By relation. `meaning`: of the whole query. */
export async function relationCriteria(
  relations: readonly Relation[],
  search: Search,
): Promise<ReadonlyMap<Relation, Criterion>> {
  const found = new Map(relations.map((relation) => [relation, new Set<number>()]));
  for (const direction of ['to', 'from'] as const) {
    const ofDirection = relations.filter((one) => one.direction === direction);
    const [toOne, toAny] = [ofDirection.filter(isToOne), ofDirection.filter((one) => !isToOne(one))];
    for (const relation of toOne) await gather([relation], linksOfEnd(relation, search.reading), found, search);
    if (toAny.length > 0) await gather(toAny, linksOfCandidates(direction, search), found, search);
  }
  const key = ownKey(search.tracker.id, 'aid');
  return new Map(
    [...found].map(([relation, ids]) => {
      const criterion: Criterion = { type: 'any-of', key, values: [...ids] };
      return [relation, relation.not ? { type: 'not', criterion } : criterion];
    }),
  );
}

type ToOne = Relation & { readonly end: { readonly type: 'artifact' } };

const isToOne = (relation: Relation): relation is ToOne => relation.end?.type === 'artifact';

type Found = ReadonlyMap<Relation, Set<number>>;

type Links = AsyncGenerator<readonly SeenLink[]>;

async function gather(relations: readonly Relation[], links: Links, found: Found, search: Search): Promise<void> {
  for await (const page of links) {
    for (const relation of relations) {
      const ids = found.get(relation);
      for (const id of page.flatMap((link) => ownEnd(relation, link, search))) ids?.add(id);
      if ((ids?.size ?? 0) > MAX_RELATED) throw tooMany();
    }
  }
}

/** The artifact of the tracker that has the relation by this link, if there is one. */
function ownEnd(
  relation: Relation,
  { type, source, target }: SeenLink,
  { tracker, reading }: Search,
): readonly number[] {
  const { direction, linkType } = relation;
  const [own, other] = direction === 'to' ? [source, target] : [target, source];
  if (own.trackerId !== tracker.id || (linkType !== null && linkType !== type)) return [];
  return isMeant(other, relation, reading) ? [own.id] : [];
}

function isMeant({ id, trackerId }: LinkEnd, { end }: Relation, { definitions }: Reading): boolean {
  if (end === null) return true;
  if (end.type === 'artifact') return end.id === id;
  return (definitions.tracker(trackerId)?.view.itemName === end.name) === (end.operator === '=');
}

/** None of an artifact that the reader may not see. */
async function* linksOfEnd({ end, direction }: ToOne, reading: Reading): Links {
  if (!Number.isSafeInteger(end.id)) return;
  const { readModels, viewer } = reading;
  const other = await readModels.get(artifactViews, end.id, viewer.canSeeArtifact);
  if (other === null || !viewer.canSeeArtifact(other)) return;
  yield* direction === 'to' ? linksTo([other], reading) : linksFrom([other.id], reading);
}

/** Of all artifacts that the query finds whatever the relations say. */
async function* linksOfCandidates(direction: Relation['direction'], search: Search): Links {
  const { id: trackerId } = search.tracker;
  for await (const ids of candidates(direction, search)) {
    if (direction === 'to') yield* linksFrom(ids, search.reading);
    else
      yield* linksTo(
        ids.map((id) => ({ id, trackerId })),
        search.reading,
      );
  }
}

async function* candidates(
  direction: Relation['direction'],
  { meaning, tracker, reading: { readModels, definitions, viewer } }: Search,
): AsyncGenerator<readonly number[]> {
  const project = definitions.project(tracker.view.projectId);
  if (project === undefined) return;
  // No relation stands under a negation: without them the query finds more, never less.
  const asked = [meaning(() => ({ type: 'and', criteria: [] })), ...(direction === 'to' ? [HAS_LINKS] : [])];
  const { where, given } = visibleArtifacts(asked, tracker, project, viewer);
  const counts = await readModels.get(trackerCounts, tracker.id);
  const query = plainQuery({ where, given, direction: 'asc', limit: CANDIDATES, offset: 0 }, counts);
  let page = await readModels.findIds(artifactViews, query);
  for (let n = page.length; page.length > 0; n += page.length) {
    if (n > MAX_RELATED) throw tooMany();
    yield page;
    const last = page.at(-1);
    page =
      last === undefined || page.length < CANDIDATES
        ? []
        : await readModels.findIds(artifactViews, { ...query, after: { values: [], id: last } });
  }
}

const HAS_LINKS: Criterion = { type: 'not', criterion: { type: 'empty', key: SOURCE_KEY } };

const tooMany = (): FaultyQuery =>
  new FaultyQuery([
    {
      message: `A relation goes through at most ${MAX_RELATED} artifacts; join it by AND with conditions that leave fewer, or name the artifact`,
    },
  ]);
