/** An artifact as one row of a table: the readable fields by name, each a plain value or a list of texts. */
import { jsonInTurns, Late, takesTurns } from '../../core/concurrency/json-in-turns.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { type ArtifactView } from '../artifact-view.js';
import { historyValue, type HistoryContext } from './history-value.js';
import { numberIn } from '../fields/read-only.js';
import { isReadOnly, isNumberType } from '../../trackers/field-types/read-only-types.js';
import { isoDate } from '../fields/dates.js';
import { inSlices, sizeShown, type Texts } from './in-slices.js';
import { relatedTo, type Reading } from './load-related.js';
import { type ReadContext } from './represent-values.js';
import { type OutputFormat } from './schemas.js';

export type FlatFormat = Exclude<OutputFormat, 'nested'>;

type Flat = string | number | null | readonly string[];

export const flatJson = (reading: Reading, format: FlatFormat) =>
  async function* (artifacts: readonly ArtifactView[]): Texts {
    const related = await relatedTo(artifacts, reading);
    const sizeOf = sizeShown(related, reading);
    for await (const some of inSlices(artifacts, sizeOf)) {
      const texts: string[] = [];
      for (const artifact of some) {
        const tracker = reading.definitions.tracker(artifact.trackerId);
        if (tracker === undefined) continue;
        const size = sizeOf(artifact);
        const context = { ...reading, related, isLarge: takesTurns(size) };
        texts.push(await jsonInTurns(flatRepresentation(artifact, tracker, context, format !== 'flat'), size));
      }
      yield texts;
    }
  };

/** Without prototype: a name may be any word. `joined` makes one text of a list, with semicolons. */
function flatRepresentation(
  artifact: ArtifactView,
  tracker: CompiledTracker,
  reading: Omit<ReadContext, 'htmlOf'>,
  joined: boolean,
): object {
  const { definitions, viewer, related } = reading;
  const isKnownEnd = (id: number): boolean => related.linked(id) !== undefined;
  const sum = (name: string): number | null => related.sumOf(artifact.id, name);
  const context = { definitions, projectId: tracker.view.projectId, isKnownEnd, sum };
  const row: Record<string, Flat | Late<Flat>> = { __proto__: null };
  for (const field of viewer.readable(tracker).fields) {
    const shown = (): Flat => {
      const value = flatValue(field, artifact, context);
      return joined && Array.isArray(value) ? value.join(';') : value;
    };
    row[field.name] = reading.isLarge === true ? new Late(shown) : shown();
  }
  return row;
}

interface FlatContext extends HistoryContext {
  /** Of the field of this name. */
  readonly sum: (name: string) => number | null;
}

function flatValue(field: Field, artifact: ArtifactView, context: FlatContext): Flat {
  if (isNumberType(field.type)) return numberIn(field.type, artifact);
  if (isReadOnly(field.type)) return stamp(field, artifact, context);
  const value = historyValue(field, artifact.values[String(field.id)], context);
  if (typeof value !== 'object' || value === null) return value;
  if ('content' in value) return value.content;
  if ('manual_value' in value) return value.is_autocomputed ? context.sum(field.name) : value.manual_value;
  const items: readonly { readonly id: number | string; readonly label?: string | null }[] = value;
  return items.map(({ id, label }) => label ?? String(id));
}

function stamp({ type }: Field, artifact: ArtifactView, { definitions }: HistoryContext): string | null {
  if (type === 'subon') return isoDate(artifact.submittedOn);
  if (type === 'lud') return isoDate(artifact.lastUpdateOn);
  const id = type === 'subby' ? artifact.submittedBy : artifact.lastUpdateBy;
  return (id === null ? undefined : definitions.user(id)?.username) ?? null;
}
