/**
 * Artifacts as JSON text. A cache of JSON by reader. An entry is valid while everything that it is made of is
 * unchanged. Making the JSON costs many times the reading of the document.
 */
import { LRUCache } from 'lru-cache';
import { cacheSize, textSize } from '../../core/bounds.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type ArtifactView } from '../artifact-view.js';
import { filesOf } from './described-files.js';
import { isRememberable } from './ingredients.js';
import { hasLong, textsInSlices, type Texts } from './in-slices.js';
import { relatedTo, type Related } from './load-related.js';
import { type Reading, type Representing } from './reading.js';
import { type HtmlOf } from '../rendering/text-rendering.js';
import { plainTitles, renderedTexts, type PlainOf } from './rendered-texts.js';
import { artifactText, sizeIn, type Shape } from './artifact-representation.js';

/** All that a text depends on: it holds while each of these is the same. The reader is part of its name. */
interface Ingredients {
  /**
   * The read models give the same object for a document that has not changed, and another one for any other. Not held:
   * a large one may have a small text.
   */
  readonly artifact: WeakRef<ArtifactView>;
  readonly definitions: Definitions;
  /** Definitions, and with them what the reader may read. */
  readonly generation: string;
  /** What the reader sees of the artifacts at the other ends of links, and which of its files are there. */
  readonly links: string;
}

interface Written extends Ingredients {
  readonly text: string;
}

/** In bytes. */
const REMEMBERED_SIZE = cacheSize(32 * 1024 * 1024);
/** A page of larger ones would take the place of all others. */
const LARGEST_REMEMBERED = 256 * 1024;

const written = new LRUCache<string, Written>({
  maxSize: REMEMBERED_SIZE,
  maxEntrySize: LARGEST_REMEMBERED,
  sizeCalculation: ({ text, links }) => textSize(text) + links.length,
});

/** One text for each artifact, in the order given. */
export function artifactJson(artifacts: readonly ArtifactView[], reading: Representing, shape: Shape): Texts {
  const isLong = shape.values !== 'none' && hasLong(artifacts);
  const isKept = !isLong && shape.past !== true && shape.completeTracker !== true;
  return textsOf(artifacts, reading, shape, isKept);
}

/** With all that an artifact has, and without the cache. */
export const wholeJson =
  (reading: Representing) =>
  (artifacts: readonly ArtifactView[]): Texts =>
    textsOf(artifacts, reading, { values: 'all' }, false);

/** What they are linked with is loaded only where the shape shows it. */
async function* textsOf(
  artifacts: readonly ArtifactView[],
  reading: Representing,
  shape: Shape,
  isKept: boolean,
): Texts {
  const shown = shape.values === 'none' ? [] : artifacts;
  const unknown = isKept ? shown.filter((artifact) => !isKnown(artifact, reading, shape)) : [];
  // Both threads are at work meanwhile.
  const [related, htmlOf] = await Promise.all([relatedTo(shown, reading, shape), renderedTexts(unknown, reading)]);
  const rendered = { artifacts: new Set(unknown), htmlOf };
  const slicing = { sizeOf: sizeIn(shape, related, reading), gone: reading.gone };
  const writing = { ...reading, related, rendered, isKept };
  yield* textsInSlices(artifacts, slicing, (some) => writtenTexts(some, writing, shape));
}

interface Writing extends Representing {
  readonly related: Related;
  /** Of some, already. */
  readonly rendered: { readonly artifacts: ReadonlySet<ArtifactView>; readonly htmlOf: HtmlOf };
  /** Whether texts come from the cache, and go into it. */
  readonly isKept: boolean;
}

async function writtenTexts(
  artifacts: readonly ArtifactView[],
  reading: Writing,
  shape: Shape,
): Promise<readonly string[]> {
  const { definitions, related, rendered, isKept } = reading;
  const { generation } = definitions;
  const withLinks = shape.values !== 'none';
  const pieces = artifacts.flatMap((artifact): readonly Piece[] => {
    const tracker = definitions.tracker(artifact.trackerId);
    if (tracker === undefined) return [];
    const of = { artifact, tracker };
    if (!isKept || (withLinks && !isRememberable(tracker))) return [{ ...of, text: undefined, remember: keepNothing }];
    const links = withLinks ? `${linksSeen(artifact, related, reading)}|${filesSeen(artifact, related, reading)}` : '';
    const ingredients = { artifact: new WeakRef(artifact), definitions, generation, links };
    return [{ ...of, ...remembered(nameOf(artifact, reading, shape), ingredients) }];
  });
  const isUnrendered = ({ artifact, text }: Piece): boolean => text === undefined && !rendered.artifacts.has(artifact);
  const late = withLinks ? pieces.filter(isUnrendered).map(({ artifact }) => artifact) : [];
  const lateHtml = await renderedTexts(late, reading);
  const unwritten = pieces.filter(({ text }) => text === undefined).map(({ artifact }) => artifact);
  const plainOf = await plainTitles(unwritten, reading);
  const texts: string[] = [];
  for (const { artifact, tracker, text, remember } of pieces) {
    const htmlOf = rendered.artifacts.has(artifact) ? rendered.htmlOf : lateHtml;
    const json = text ?? (await artifactText(artifact, tracker, { ...reading, htmlOf, plainOf }, shape));
    if (text === undefined && isLasting(htmlOf, plainOf)) remember(json);
    texts.push(json);
  }
  return texts;
}

const nameOf = ({ id }: ArtifactView, { viewer }: Reading, { values }: Shape): string =>
  `${id} ${viewer.user?.id ?? 'anonymous'} ${values}`;

/** Whether its text is remembered, as far as the document alone tells. */
const isKnown = (artifact: ArtifactView, reading: Reading, shape: Shape): boolean =>
  written.peek(nameOf(artifact, reading, shape))?.artifact.deref() === artifact;

interface Piece {
  readonly artifact: ArtifactView;
  readonly tracker: CompiledTracker;
  /** Undefined where it is to be written. */
  readonly text: string | undefined;
  readonly remember: (text: string) => void;
}

const isLasting = ({ passing }: HtmlOf, { isPassing }: PlainOf): boolean => !isPassing && !passing?.size;

const keepNothing = (): void => undefined;

/** Of the other end, the JSON shows only its tracker, which never changes. */
function linksSeen(artifact: ArtifactView, related: Related, { viewer }: Reading): string {
  const targets = viewer.linksOf(artifact).map(({ id }) => (related.linked(id) === undefined ? '-' : '+'));
  const sources = related.reverseLinks(artifact.id).map(({ source, type }) => `${source.id} ${type}`);
  return `${targets.join('')}|${sources.join('|')}`;
}

/** What is described of a file never changes. */
function filesSeen(artifact: ArtifactView, { describeFile }: Related, reading: Reading): string {
  return filesOf(artifact, reading)
    .map((id) => (describeFile(id) === undefined ? '-' : '+'))
    .join('');
}

function remembered(name: string, ingredients: Ingredients): Pick<Piece, 'text' | 'remember'> {
  const known = written.get(name);
  return {
    text: known !== undefined && isSame(known, ingredients) ? known.text : undefined,
    remember: (text) => {
      written.set(name, { ...ingredients, text });
    },
  };
}

const isSame = (a: Ingredients, b: Ingredients): boolean =>
  a.artifact.deref() === b.artifact.deref() &&
  a.definitions === b.definitions &&
  a.generation === b.generation &&
  a.links === b.links;
