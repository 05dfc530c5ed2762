/** The ends of an artifact's links, by type and direction. */
import { type StartKey } from '../../core/read-models.js';
import { type Definitions } from '../../definitions/definitions.js';
import { listPage } from '../../http/pages/list-page.js';
import { type PageQuery } from '../../http/pages/pagination.js';
import { linkTypesOf } from '../../platform/link-types.js';
import { type ArtifactView } from '../artifact-view.js';
import { readableTracker } from '../authorize.js';
import { targetsOf } from '../representation/linked.js';
import { reversePages } from '../representation/load-related.js';
import { type Reading } from '../representation/reading.js';
import { type Direction } from './schemas.js';

/** One for each type and direction that the artifact has links of, forward ones first. The artifact is judged last. */
export async function linkNatures(artifact: ArtifactView, reading: Reading): Promise<readonly object[]> {
  const targets = await targetsOf(artifact, reading);
  const forward = new Set(reading.viewer.linksOf(artifact).flatMap(({ id, type }) => (targets.has(id) ? [type] : [])));
  const reverse = new Set<string>();
  for await (const links of reversePages(artifact, reading)) for (const { type } of links) reverse.add(type);
  readableTracker(artifact, reading.definitions, reading.viewer);
  const kinds = [
    ...[...forward].map((type) => ({ type, direction: 'forward' as const })),
    ...[...reverse].map((type) => ({ type, direction: 'reverse' as const })),
  ];
  return kinds.map(({ type, direction }) => ({
    shortname: type,
    direction,
    label: labelOf(type, direction, reading.definitions),
    uri: `artifacts/${artifact.id}/linked_artifacts?nature=${encodeURIComponent(type)}&direction=${direction}`,
  }));
}

export interface LinkedSearch extends PageQuery {
  readonly direction: Direction;
  /** Shortname of the type; empty for links without one. */
  readonly nature: string;
}

/** By id. */
interface IdPage {
  readonly ids: readonly number[];
  readonly total: number;
  /** See `setPage`. */
  readonly last: StartKey | null;
}

export async function linkedArtifactsPage(
  artifact: ArtifactView,
  search: LinkedSearch,
  reading: Reading,
): Promise<IdPage> {
  const page = await (search.direction === 'forward' ? targetPage : sourcePage)(artifact, search, reading);
  readableTracker(artifact, reading.definitions, reading.viewer);
  return page;
}

async function targetPage(artifact: ArtifactView, search: LinkedSearch, reading: Reading): Promise<IdPage> {
  const targets = await targetsOf(artifact, reading);
  const named = new Set(
    reading.viewer.linksOf(artifact).flatMap(({ id, type }) => (type === search.nature ? [id] : [])),
  );
  const found = [...named].sort((a, b) => a - b).filter((id) => targets.has(id));
  const { items: ids, total, last } = listPage(found, search, (id) => id);
  return { ids, total, last };
}

/** Keeps the page alone: there may be any number of sources. */
async function sourcePage(
  artifact: ArtifactView,
  { nature, limit, offset, after }: LinkedSearch,
  reading: Reading,
): Promise<IdPage> {
  const ids: number[] = [];
  let total = 0;
  for await (const links of reversePages(artifact, reading)) {
    const sources = new Set(links.flatMap(({ type, source }) => (type === nature ? [source.id] : [])));
    for (const source of sources) {
      const isBehind = after === undefined ? total >= offset : source > Number(after.id);
      // One more, which shows whether there is a next page.
      if (isBehind && ids.length <= limit) ids.push(source);
      total += 1;
    }
  }
  const last = ids[limit - 1];
  const isEnd = last === undefined || ids.length <= limit;
  return { ids: ids.slice(0, limit), total, last: isEnd ? null : { id: last, values: [] } };
}

function labelOf(type: string, direction: Direction, definitions: Definitions): string {
  const known = linkTypesOf(definitions.platform()).find(({ shortname }) => shortname === type);
  return (direction === 'forward' ? known?.forwardLabel : known?.reverseLabel) ?? type;
}
