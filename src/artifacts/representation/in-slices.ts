import { othersTurn } from '../../core/concurrency/others-turn.js';
import { textOf } from '../../trackers/field-types/canonical.js';
import { type ArtifactView } from '../artifact-view.js';
import { type Reading, type Related } from './load-related.js';

/** JSON texts in lists, made while they are taken. */
export type Texts = AsyncGenerator<readonly string[], void, void>;

/** Of JSON. */
const SLICE_CHARACTERS = 256 * 1024;
const SLICE_ITEMS = 50;

/**
 * Some at a time, by how many characters of each are shown, so that no slice takes long. One item may be larger than a
 * slice. Others have their turn between slices.
 */
export async function* inSlices<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
): AsyncGenerator<readonly T[], void, void> {
  let slice: T[] = [];
  let size = 0;
  for (const [index, item] of items.entries()) {
    slice.push(item);
    size += sizeOf(item);
    const isFull = size >= SLICE_CHARACTERS || slice.length >= SLICE_ITEMS;
    if (!isFull && index < items.length - 1) continue;
    yield slice;
    slice = [];
    size = 0;
    if (index < items.length - 1) await othersTurn();
  }
}

/** Of what there is one of. */
export async function onlyText(lists: Texts): Promise<string> {
  let text = '';
  for await (const texts of lists) text += texts.join('');
  return text;
}

/** In characters. */
const END_SHOWN = 300;

/** A text is shown as it was written, and as HTML. */
const TEXT_SHOWN = 2;

/** About how many characters an artifact takes where its values are shown. */
export const sizeShown =
  (related: Related, { viewer }: Pick<Reading, 'viewer'>) =>
  (artifact: ArtifactView): number => {
    const ends = viewer.linksOf(artifact).length + related.reverseLinks(artifact.id).length;
    return END_SHOWN * ends + TEXT_SHOWN * charactersOf(artifact);
  };

function charactersOf({ values }: ArtifactView): number {
  let count = 0;
  for (const value of Object.values(values)) count += textOf(value)?.text.length ?? 0;
  return count;
}
