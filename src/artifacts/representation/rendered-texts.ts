import { type ArtifactView } from '../artifact-view.js';
import { type TextValue } from '../../trackers/field-types/field-value.js';
import { textOf } from '../../trackers/field-types/canonical.js';
import { type Representing } from './load-related.js';
import { type HtmlOf } from '../rendering/text-rendering.js';

/** All texts of the artifacts, and others beside them, are rendered before any is represented. */
export function renderedTexts(
  artifacts: readonly Pick<ArtifactView, 'values'>[],
  { texts, viewer, gone }: Pick<Representing, 'texts' | 'viewer' | 'gone'>,
  others: readonly TextValue[] = [],
): Promise<HtmlOf> {
  const own = artifacts.flatMap(({ values }) => Object.values(values).flatMap((value) => textOf(value) ?? []));
  return texts.htmlOf([...own, ...others], { reader: viewer.user?.id ?? null, gone });
}
