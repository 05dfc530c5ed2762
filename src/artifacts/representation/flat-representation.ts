/** An artifact as one row of a table: by name, those readable fields that a cell can show and that hold a value. */
import { jsonInTurns, Late, takesTurns } from '../../core/concurrency/json-in-turns.js';
import { invalidAt } from '../../core/problem.js';
import { type Slice } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { type ArtifactView } from '../artifact-view.js';
import { shown } from '../fields/field-input.js';
import { type ListContext } from '../fields/list-values.js';
import { artifactTexts } from './artifact-pages.js';
import { labelsIn, valueMaker, type Flat, type FlatContext } from './flat-values.js';
import { inSlices, sizeShown, textsInSlices, type Texts } from './in-slices.js';
import { withLinked } from './linked.js';
import { has, visibleSlices, type Reading, type Representing } from './reading.js';
import { plainTexts } from './rendered-texts.js';
import { sumsOf, type SumOf } from './sums.js';
import { type OutputFormat } from './schemas.js';

export type FlatFormat = Exclude<OutputFormat, 'nested'>;

const SEPARATOR = ';';

/** The rows of a page. Labels that cannot be joined are found before the first row: later, no error becomes an answer. */
export async function* flatTexts(page: Slice<ArtifactView>, reading: Representing, format: FlatFormat): Texts {
  if (format !== 'flat') await refuseSeparators(page, reading);
  yield* artifactTexts(page, reading, flatJson(reading, format));
}

/** About how many characters a row takes. No row shows who links to its artifact. */
const sizeIn = (reading: Reading) => sizeShown({ reverseLinks: () => [] }, reading);

export const flatJson = (reading: Representing, format: FlatFormat) =>
  async function* (artifacts: readonly ArtifactView[]): Texts {
    const sumOf = await sumsFor(artifacts, reading);
    const slicing = { sizeOf: sizeIn(reading), gone: reading.gone };
    yield* textsInSlices(artifacts, slicing, (some) => rowsOf(some, { ...reading, sumOf }, format));
  };

async function rowsOf(
  artifacts: readonly ArtifactView[],
  reading: Representing & { readonly sumOf: SumOf },
  format: FlatFormat,
): Promise<readonly string[]> {
  const sizeOf = sizeIn(reading);
  const plainOf = await plainTexts(artifacts, reading);
  const texts: string[] = [];
  for (const artifact of artifacts) {
    const tracker = reading.definitions.tracker(artifact.trackerId);
    if (tracker === undefined) continue;
    const sum = (name: string): number | null => reading.sumOf(artifact.id, name);
    const context = { ...listContext(tracker, reading), plainOf, sum };
    const size = sizeOf(artifact);
    const row = { artifact, context, isLarge: takesTurns(size), isJoined: format !== 'flat' };
    texts.push(await jsonInTurns(flatRepresentation(reading.viewer.readable(tracker).fields, row), size, reading.gone));
  }
  return texts;
}

/** Of links and files, which no row shows, only the children are read. */
async function sumsFor(artifacts: readonly ArtifactView[], reading: Reading): Promise<SumOf> {
  const summed = artifacts.filter((one) => has(one, 'computed', reading) && has(one, 'art_link', reading));
  return withLinked(summed, reading, 'children', (known) => sumsOf(summed, reading, (id) => known.get(id)));
}

const listContext = ({ view: { projectId } }: CompiledTracker, { definitions }: Reading): ListContext => ({
  projectId,
  definitions,
});

interface Row {
  readonly artifact: ArtifactView;
  readonly context: FlatContext;
  /** Each value is made only once its JSON is. */
  readonly isLarge: boolean;
  /** One text of each list. */
  readonly isJoined: boolean;
}

/** Without prototype: a name may be any word. */
function flatRepresentation(fields: readonly Field[], { artifact, context, isLarge, isJoined }: Row): object {
  const row: Record<string, Flat | Late<Flat>> = { __proto__: null };
  for (const field of fields) {
    const value = valueMaker(field, artifact, context);
    if (value === undefined) continue;
    const joined = (): Flat => {
      const flat = value();
      if (!isJoined || !Array.isArray(flat)) return flat;
      refuseSeparator(flat, field, artifact);
      return flat.join(SEPARATOR);
    };
    row[field.name] = isLarge ? new Late(joined) : joined();
  }
  return row;
}

async function refuseSeparators({ items, rest }: Slice<ArtifactView>, reading: Reading): Promise<void> {
  await refuseSeparatorsIn(items, reading);
  for await (const visible of visibleSlices(rest, reading)) await refuseSeparatorsIn(visible, reading);
}

async function refuseSeparatorsIn(artifacts: readonly ArtifactView[], reading: Reading): Promise<void> {
  for await (const some of inSlices(artifacts, sizeIn(reading))) {
    for (const artifact of some) refuseSeparatorsOf(artifact, reading);
  }
}

function refuseSeparatorsOf(artifact: ArtifactView, reading: Reading): void {
  const tracker = reading.definitions.tracker(artifact.trackerId);
  if (tracker === undefined) return;
  const context = listContext(tracker, reading);
  for (const field of reading.viewer.readable(tracker).fields) {
    refuseSeparator(labelsIn(field, artifact, context), field, artifact);
  }
}

function refuseSeparator(labels: readonly string[], { id, name }: Field, artifact: ArtifactView): void {
  const label = labels.find((label) => label.includes(SEPARATOR));
  if (label === undefined) return;
  const where = `field "${name}" (${id}) of artifact #${artifact.id}`;
  throw invalidAt('output_format', `cannot join the labels of ${where}: ${shown(label)} has a semicolon; use "flat"`);
}
