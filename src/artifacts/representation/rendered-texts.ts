import { turnTaking } from '../../core/concurrency/others-turn.js';
import { type ArtifactView } from '../artifact-view.js';
import { type TextValue } from '../../trackers/field-types/field-value.js';
import { textOf } from '../../trackers/field-types/canonical.js';
import { type Representing } from './reading.js';
import { plainText } from '../rendering/plain-text.js';
import { type HtmlOf } from '../rendering/text-rendering.js';

type Artifacts = readonly Pick<ArtifactView, 'values'>[];
type Reading = Pick<Representing, 'texts' | 'viewer' | 'gone'>;

/** All texts of the artifacts, and others beside them, are rendered before any is represented. */
export const renderedTexts = (
  artifacts: Artifacts,
  reading: Reading,
  others: readonly TextValue[] = [],
): Promise<HtmlOf> => rendered([...textsOf(artifacts), ...others], reading);

/** Of every text of the artifacts, without markup. */
export type PlainOf = (text: TextValue) => string;

/** Others have their turn between texts: one of many entities takes some milliseconds. */
export async function plainTexts(artifacts: Artifacts, reading: Reading): Promise<PlainOf> {
  const marked = textsOf(artifacts).filter(({ format }) => format !== 'text');
  const htmlOf = await rendered(marked, reading);
  const turn = turnTaking();
  const plain = new Map<TextValue, string>();
  for (const text of marked) {
    await turn();
    plain.set(text, plainText(htmlOf(text)));
  }
  return (text) => plain.get(text) ?? text.text;
}

const textsOf = (artifacts: Artifacts): readonly TextValue[] =>
  artifacts.flatMap(({ values }) => Object.values(values).flatMap((value) => textOf(value) ?? []));

const rendered = (texts: readonly TextValue[], { texts: rendering, viewer, gone }: Reading): Promise<HtmlOf> =>
  rendering.htmlOf(texts, { reader: viewer.user?.id ?? null, gone });
