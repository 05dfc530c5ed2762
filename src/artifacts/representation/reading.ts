/** For whom artifacts are read, and what of other artifacts is held meanwhile. */
import { slicesOf, type ReadModels } from '../../core/read-models.js';
import { type Viewer } from '../../authorization/viewer.js';
import { type Definitions } from '../../definitions/definitions.js';
import { artifactViews, type ArtifactView } from '../artifact-view.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { computedOf, linksOf } from '../../trackers/field-types/canonical.js';
import { type TextRendering } from '../rendering/text-rendering.js';

export interface Reading {
  readonly readModels: ReadModels;
  readonly definitions: Definitions;
  readonly viewer: Viewer;
  /** Aborts when no request waits for the answer any longer. */
  readonly gone?: AbortSignal;
}

/** What the whole representation of artifacts takes. */
export interface Representing extends Reading {
  readonly texts: TextRendering;
}

/** Those of these ids that exist and that the viewer may see, in the order of the ids, some at a time. */
export async function* visibleSlices(
  ids: readonly number[],
  { readModels, viewer: { canSeeArtifact }, gone }: Pick<Reading, 'readModels' | 'viewer' | 'gone'>,
): AsyncGenerator<readonly ArtifactView[], void, void> {
  for await (const found of slicesOf(readModels, artifactViews, ids, canSeeArtifact, gone)) {
    yield found.filter(canSeeArtifact);
  }
}

/** Who may see the artifact depends on these of its values, on no others. */
export function limitingValues(
  { trackerId, values }: Pick<ArtifactView, 'trackerId' | 'values'>,
  { definitions }: Pick<Reading, 'definitions'>,
): FieldValues {
  const limits = new Set(
    definitions
      .tracker(trackerId)
      ?.ofType('perm')
      .map(({ id }) => String(id)),
  );
  return Object.fromEntries(Object.entries(values).filter(([id]) => limits.has(id)));
}

/** Of the other end of a link: all that is shown of it, and who may see it. Many large ones are not held at once. */
export const shownEnd = (artifact: ArtifactView, { definitions }: Pick<Reading, 'definitions'>): ArtifactView => ({
  ...artifact,
  values: limitingValues(artifact, { definitions }),
});

/** The same, with its links. */
export const linkedEnd = (artifact: ArtifactView, reading: Pick<Reading, 'definitions'>): ArtifactView => {
  const links = Object.entries(artifact.values).filter(([, value]) => linksOf(value).length > 0);
  return { ...artifact, values: { ...Object.fromEntries(links), ...limitingValues(artifact, reading) } };
};

/** The same, with what sums are made of. */
export function summedEnd(artifact: ArtifactView, reading: Pick<Reading, 'definitions' | 'viewer'>): ArtifactView {
  const isSummed = has(artifact, 'computed', reading);
  // Null is no number, where no value at all would be a sum.
  const isOwnNumber = (value: FieldValue): boolean =>
    value === null || typeof value === 'number' || computedOf(value) !== undefined;
  const isPart = (value: FieldValue): boolean => isOwnNumber(value) || (isSummed && linksOf(value).length > 0);
  const parts = Object.fromEntries(Object.entries(artifact.values).filter(([, value]) => isPart(value)));
  const shown = shownEnd(artifact, reading);
  return { ...shown, values: { ...parts, ...shown.values } };
}

export function has(
  { trackerId }: ArtifactView,
  type: 'art_link' | 'computed',
  { definitions, viewer }: Pick<Reading, 'definitions' | 'viewer'>,
): boolean {
  const tracker = definitions.tracker(trackerId);
  return tracker !== undefined && viewer.readable(tracker).ofType(type).length > 0;
}
