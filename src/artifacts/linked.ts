/** The ends of an artifact's links, by type and direction. */
import { type Page } from '../core/read-models.js';
import { type Directory } from '../directory/directory.js';
import { linkTypesOf } from '../settings/link-types.js';
import { type ArtifactView } from './artifact-view.js';
import { linksOf, relatedTo, type Reading, type Related } from './related.js';

export type Direction = 'forward' | 'reverse';

interface End {
  readonly artifact: ArtifactView;
  readonly type: string;
  readonly direction: Direction;
}

/** One for each type and direction that the artifact has links of, forward ones first. */
export async function linkNatures(artifact: ArtifactView, reading: Reading): Promise<readonly object[]> {
  const ends = await endsOf(artifact, reading);
  const kinds = new Map(ends.map(({ type, direction }) => [`${direction} ${type}`, { type, direction }]));
  return [...kinds.values()].map(({ type, direction }) => ({
    shortname: type,
    direction,
    label: labelOf(type, direction, reading.directory),
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
export async function linkedPage(
  artifact: ArtifactView,
  { direction, nature, limit, offset }: LinkedSearch,
  reading: Reading,
): Promise<Page<ArtifactView>> {
  const ends = (await endsOf(artifact, reading))
    .filter((end) => end.direction === direction && end.type === nature)
    .map((end) => end.artifact);
  const distinct = [...new Map(ends.map((end) => [end.id, end])).values()].sort((a, b) => a.id - b.id);
  return { items: distinct.slice(offset, offset + limit), total: distinct.length };
}

async function endsOf(artifact: ArtifactView, reading: Reading): Promise<readonly End[]> {
  const related: Related = await relatedTo([artifact], reading);
  const forward = linksOf(artifact).flatMap(({ id, type }): End[] => {
    const target = related.linked(id);
    return target === undefined ? [] : [{ artifact: target, type, direction: 'forward' }];
  });
  const reverse = related
    .reverseLinks(artifact.id)
    .map(({ source, type }): End => ({ artifact: source, type, direction: 'reverse' }));
  return [...forward, ...reverse];
}

function labelOf(type: string, direction: Direction, directory: Directory): string {
  const known = linkTypesOf(directory.platform()).find(({ shortname }) => shortname === type);
  return (direction === 'forward' ? known?.forwardLabel : known?.reverseLabel) ?? type;
}
