/** The ends of an artifact's links, by type and direction. */
import { type Definitions } from '../../definitions/definitions.js';
import { linkTypesOf } from '../../platform/link-types.js';
import { type ArtifactView } from '../artifact-view.js';
import { flatRepresentation } from '../representation/flat-representation.js';
import { inSlices, sizeShown, type Texts } from '../representation/in-slices.js';
import { relatedTo, reversePages, targetsOf, type Reading } from '../representation/load-related.js';
import { type Direction } from './schemas.js';

/** One for each type and direction that the artifact has links of, forward ones first. */
export async function linkNatures(artifact: ArtifactView, reading: Reading): Promise<readonly object[]> {
  const targets = await targetsOf(artifact, reading);
  const forward = new Set(reading.viewer.linksOf(artifact).flatMap(({ id, type }) => (targets.has(id) ? [type] : [])));
  const reverse = new Set<string>();
  for await (const links of reversePages(artifact, reading)) for (const { type } of links) reverse.add(type);
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

export interface LinkedSearch {
  readonly direction: Direction;
  /** Shortname of the type; empty for links without one. */
  readonly nature: string;
  readonly limit: number;
  readonly offset: number;
}

/** By id. */
interface IdPage {
  readonly ids: readonly number[];
  readonly total: number;
}

export function linkedArtifactsPage(artifact: ArtifactView, search: LinkedSearch, reading: Reading): Promise<IdPage> {
  return search.direction === 'forward' ? targetPage(artifact, search, reading) : sourcePage(artifact, search, reading);
}

async function targetPage(
  artifact: ArtifactView,
  { nature, limit, offset }: LinkedSearch,
  reading: Reading,
): Promise<IdPage> {
  const targets = await targetsOf(artifact, reading);
  const named = new Set(reading.viewer.linksOf(artifact).flatMap(({ id, type }) => (type === nature ? [id] : [])));
  const found = [...named].sort((a, b) => a - b).filter((id) => targets.has(id));
  return { ids: found.slice(offset, offset + limit), total: found.length };
}

/** Keeps the page alone: there may be any number of sources. */
async function sourcePage(
  artifact: ArtifactView,
  { nature, limit, offset }: LinkedSearch,
  reading: Reading,
): Promise<IdPage> {
  const ids: number[] = [];
  let total = 0;
  for await (const links of reversePages(artifact, reading)) {
    const sources = new Set(links.flatMap(({ type, source }) => (type === nature ? [source.id] : [])));
    for (const source of sources) {
      if (total >= offset && ids.length < limit) ids.push(source);
      total += 1;
    }
  }
  return { ids, total };
}

function labelOf(type: string, direction: Direction, definitions: Definitions): string {
  const known = linkTypesOf(definitions.platform()).find(({ shortname }) => shortname === type);
  return (direction === 'forward' ? known?.forwardLabel : known?.reverseLabel) ?? type;
}

export const flatJson = (reading: Reading, joined: boolean) =>
  async function* (artifacts: readonly ArtifactView[]): Texts {
    const related = await relatedTo(artifacts, reading);
    for await (const some of inSlices(artifacts, sizeShown(related, reading))) {
      yield some.flatMap((artifact) => {
        const tracker = reading.definitions.tracker(artifact.trackerId);
        return tracker === undefined
          ? []
          : [JSON.stringify(flatRepresentation(artifact, tracker, { ...reading, related }, joined))];
      });
    }
  };
