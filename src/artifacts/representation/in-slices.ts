import { takesTurns } from '../../core/concurrency/json-in-turns.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { makeLongText } from '../../core/logs/long-texts.js';
import { isList, textOf } from '../../trackers/field-types/canonical.js';
import { type FieldValues } from '../../trackers/field-types/field-value.js';
import { type ArtifactView } from '../artifact-view.js';
import { type Related } from './load-related.js';
import { type Reading } from './reading.js';

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
  most = SLICE_CHARACTERS,
): AsyncGenerator<readonly T[], void, void> {
  let slice: T[] = [];
  let size = 0;
  for (const item of items) {
    if (size >= most || slice.length >= SLICE_ITEMS) {
      yield slice;
      [slice, size] = [[], 0];
      await othersTurn();
    }
    slice.push(item);
    size += sizeOf(item);
  }
  if (slice.length > 0) yield slice;
}

/** The texts of each slice. A slice with a long one waits for its turn. */
export async function* textsInSlices<T>(
  items: readonly T[],
  { sizeOf, gone }: { readonly sizeOf: (item: T) => number; readonly gone: AbortSignal | undefined },
  make: (slice: readonly T[]) => Promise<readonly string[]>,
): Texts {
  for await (const slice of inSlices(items, sizeOf)) {
    const isLong = slice.some((item) => takesTurns(sizeOf(item)));
    yield isLong ? await makeLongText(() => make(slice), gone) : await make(slice);
  }
}

/** Of what there is one of. */
export async function onlyText(lists: Texts): Promise<string> {
  let text = '';
  for await (const texts of lists) text += texts.join('');
  return text;
}

/** In characters: a user, a group, a value of a list, a file, an artifact at the other end of a link. */
const ITEM_SHOWN = 350;

/** In characters: a text is shown as it was written, and as HTML. */
export const sizeOfText = (text = ''): number => 2 * text.length;

/** In characters: a field, beside its value. */
const FIELD_SHOWN = 100;

/** About how many characters an artifact takes where its values are shown. */
export const sizeShown =
  (related: Pick<Related, 'reverseLinks'>, { definitions, viewer }: Pick<Reading, 'definitions' | 'viewer'>) =>
  (artifact: ArtifactView): number => {
    const tracker = definitions.tracker(artifact.trackerId);
    if (tracker === undefined) return 0;
    const readable = viewer.readable(tracker);
    // Each field of links shows all sources.
    const sources = related.reverseLinks(artifact.id).length * readable.ofType('art_link').length;
    return FIELD_SHOWN * readable.fields.length + ITEM_SHOWN * sources + sizeOfValues(artifact.values);
  };

/** About how many characters they take where they are shown. */
export function sizeOfValues(values: FieldValues): number {
  let size = 0;
  for (const value of Object.values(values)) {
    if (isList(value)) size += ITEM_SHOWN * value.length;
    else if (typeof value === 'string') size += value.length;
    else size += sizeOfText(textOf(value)?.text);
  }
  return size;
}

/** Whether one of them has a long text where its values are shown. */
export const hasLong = (artifacts: readonly ArtifactView[]): boolean =>
  artifacts.some(({ values }) => takesTurns(sizeOfValues(values)));
