/**
 * What relations mean for a reader: the ids of the artifacts that have them. They are read before the page is asked for:
 * no entry of an artifact tells who may see the other ends of its links.
 */
import { type Criterion } from '../../core/read-models.js';
import { foldText } from '../../core/text/spelling.js';
import { artifactViews, fieldKey, LINKS_KEY, ownKey } from '../artifact-view.js';
import { type Reading } from '../representation/reading.js';
import { candidates, type Asked } from './candidates.js';
import { type Relation } from './expression.js';
import { FaultyQuery } from './faults.js';
import { type LinkEnd } from '../representation/load-related.js';
import { linksFrom, linksTo, type SeenLink } from './seen-links.js';
import { type Definitions } from '../../definitions/definitions.js';
import { linkTypesOf } from '../../platform/link-types.js';

/** Artifacts whose links are gone through, in one direction, and ids that a relation finds. */
const MAX_RELATED = 10_000;

interface Search extends Asked {
  /** The matches of the query without its unread relations. */
  readonly widest: Criterion;
}

/** By relation. `widest`: what the whole query finds if all relations hold but those that are known. */
export async function relationCriteria(
  relations: readonly Relation[],
  widest: (known: ReadonlyMap<object, Criterion>) => Criterion,
  asked: Asked,
): Promise<ReadonlyMap<object, Criterion>> {
  const known = new Map<object, Criterion>();
  const read = async (
    some: readonly Relation[],
    links: (search: Search, isWanted: IsWanted) => Links,
  ): Promise<void> => {
    if (some.length === 0) return;
    const search = { ...asked, widest: widest(known) };
    for (const [relation, ids] of await gather(some, (isWanted) => links(search, isWanted), search)) {
      const criterion: Criterion = { type: 'any-of', key: ownKey(asked.tracker.id, 'aid'), values: [...ids] };
      known.set(relation, relation.not ? { type: 'not', criterion } : criterion);
    }
  };
  for (const relation of relations.filter(isToOne)) await read([relation], () => linksOfEnd(relation, asked.reading));
  for (const direction of ['to', 'from'] as const) {
    const some = relations.filter((one) => one.direction === direction && !isToOne(one));
    await read(some, (search, isWanted) => linksOfCandidates(direction, some, search, isWanted));
  }
  return known;
}

type ToOne = Relation & { readonly end: { readonly type: 'artifact' } };

const isToOne = (relation: Relation): relation is ToOne => relation.end?.type === 'artifact';

type Links = AsyncGenerator<readonly SeenLink[]>;

/** Whether some relation has not found this artifact yet. */
type IsWanted = (id: number) => boolean;

async function gather(
  relations: readonly Relation[],
  links: (isWanted: IsWanted) => Links,
  search: Asked,
): Promise<ReadonlyMap<Relation, ReadonlySet<number>>> {
  const found = new Map(relations.map((relation) => [relation, new Set<number>()]));
  const isWanted = (id: number): boolean => [...found.values()].some((ids) => !ids.has(id));
  for await (const page of links(isWanted)) {
    search.reading.gone?.throwIfAborted();
    for (const [relation, ids] of found) {
      for (const id of page.flatMap((link) => ownEnd(relation, link, search))) ids.add(id);
      if (ids.size > MAX_RELATED) throw tooMany();
    }
  }
  return found;
}

/** The artifact of the tracker that has the relation by this link, if there is one. */
function ownEnd(
  relation: Relation,
  { type, source, target }: SeenLink,
  { tracker, reading }: Asked,
): readonly number[] {
  const { direction, linkType } = relation;
  const [own, other] = direction === 'to' ? [source, target] : [target, source];
  if (own.trackerId !== tracker.id || (linkType !== null && linkType !== type)) return [];
  return isMeant(other, relation, reading) ? [own.id] : [];
}

function isMeant({ id, trackerId }: LinkEnd, { end }: Relation, { definitions }: Reading): boolean {
  if (end === null) return true;
  if (end.type === 'artifact') return end.id === id;
  const itemName = foldText(definitions.tracker(trackerId)?.view.itemName ?? '');
  return (itemName === foldText(end.name)) === (end.operator === '=');
}

/** None of an artifact that the reader may not see. */
async function* linksOfEnd({ end, direction }: ToOne, reading: Reading): Links {
  if (!Number.isSafeInteger(end.id)) return;
  const { readModels, viewer } = reading;
  const other = await readModels.get(artifactViews, end.id, viewer.canSeeArtifact);
  if (other === null || !viewer.canSeeArtifact(other)) return;
  yield* direction === 'to' ? linksTo([other], reading, () => true) : linksFrom([other.id], reading);
}

/** Of all matches of the query without its relations. */
async function* linksOfCandidates(
  direction: Relation['direction'],
  relations: readonly Relation[],
  search: Search,
  isWanted: IsWanted,
): Links {
  const { id: trackerId } = search.tracker;
  let gone = 0;
  const narrowed = direction === 'to' ? [search.widest, haveLinks(relations, search)] : [search.widest];
  for await (const ids of candidates(narrowed, search)) {
    gone += ids.length;
    if (gone > MAX_RELATED) throw tooMany();
    if (direction === 'to') yield* linksFrom(ids, search.reading);
    else
      yield* linksTo(
        ids.map((id) => ({ id, trackerId })),
        search.reading,
        isWanted,
      );
  }
}

/** More would make a query of too many conditions. */
const MAX_LINK_FIELDS = 20;

/** What has none of these relations has none of these entries. */
function haveLinks(relations: readonly Relation[], { tracker, reading: { viewer } }: Asked): Criterion {
  const types = new Set(relations.map(({ linkType }) => linkType));
  const fields = viewer.readable(tracker).ofType('art_link');
  if (types.has(null) || fields.length > MAX_LINK_FIELDS) return HAS_LINKS;
  const values = [...types].filter((type) => type !== null);
  return { type: 'or', criteria: fields.map(({ id }) => ({ type: 'any-of', key: fieldKey(tracker.id, id), values })) };
}

const HAS_LINKS: Criterion = { type: 'not', criterion: { type: 'empty', key: LINKS_KEY } };

const tooMany = (): FaultyQuery =>
  new FaultyQuery([
    {
      message: `A relation goes through at most ${MAX_RELATED} artifacts; join it by AND with conditions that leave fewer, or name the artifact`,
    },
  ]);

/** Undefined for a relation that has a meaning. */
export function relationFault(
  { not, linkType, end }: Relation,
  { definitions }: { readonly definitions: Definitions },
): string | undefined {
  if (not && end?.type === 'tracker' && end.operator === '!=') {
    return 'TRACKER != after WITHOUT or IS NOT is a double negative; use TRACKER = or leave out the negation';
  }
  if (linkType === null) return undefined;
  const known = linkTypesOf(definitions.platform()).flatMap(({ shortname }) => (shortname === '' ? [] : [shortname]));
  if (known.includes(linkType)) return undefined;
  return `Unknown link type "${linkType}"; use ${known.map((type) => `"${type}"`).join(' or ')}`;
}
