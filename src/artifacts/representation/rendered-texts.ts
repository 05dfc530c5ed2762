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

/** Of the texts that were asked for, without markup. */
export interface PlainOf {
  (text: TextValue): string;
  /** Whether one of them is shown in another way, this once. */
  readonly isPassing: boolean;
}

/** Of every text of the artifacts. */
export const plainTexts = (artifacts: Artifacts, reading: Reading): Promise<PlainOf> =>
  withoutMarkup(textsOf(artifacts), reading);

/** Of titles alone. A text that becomes a title meanwhile is left as it was written. */
export async function plainTitles(
  artifacts: readonly ArtifactView[],
  reading: Reading & Pick<Representing, 'definitions'>,
): Promise<PlainOf> {
  const { definitions } = reading;
  const { generation } = definitions;
  const titles = artifacts.flatMap(({ trackerId, values }) => {
    const { title } = definitions.tracker(trackerId)?.view.semantics ?? {};
    return (title === undefined ? undefined : textOf(values[String(title)])) ?? [];
  });
  const plainOf = await withoutMarkup(titles, reading);
  const isPassing = plainOf.isPassing || definitions.generation !== generation;
  return Object.assign((text: TextValue) => plainOf(text), { isPassing });
}

/** Others have their turn between texts: one of many entities takes some milliseconds. */
async function withoutMarkup(texts: readonly TextValue[], reading: Reading): Promise<PlainOf> {
  const marked = texts.filter(({ format }) => format !== 'text');
  const htmlOf = await rendered(marked, reading);
  const turn = turnTaking();
  const plain = new Map<TextValue, string>();
  for (const text of marked) {
    await turn();
    plain.set(text, plainText(htmlOf(text)));
  }
  const plainOf = (text: TextValue): string => plain.get(text) ?? text.text;
  return Object.assign(plainOf, { isPassing: (htmlOf.passing?.size ?? 0) > 0 });
}

const textsOf = (artifacts: Artifacts): readonly TextValue[] =>
  artifacts.flatMap(({ values }) => Object.values(values).flatMap((value) => textOf(value) ?? []));

const rendered = (texts: readonly TextValue[], { texts: rendering, viewer, gone }: Reading): Promise<HtmlOf> =>
  rendering.htmlOf(texts, { reader: viewer.user?.id ?? null, gone });
