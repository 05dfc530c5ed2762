/** An artifact as one row of a table: the readable fields by name, each a plain value or a list of texts. */
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/definition.js';
import { type ArtifactView } from './artifact-view.js';
import { auditedValue } from './audited-value.js';
import { type ListContext } from './fields/list-values.js';
import { isReadOnly, isNumberType, numberIn } from './fields/read-only.js';
import { isoDate } from './fields/dates.js';
import { type Reading } from './related.js';

type Flat = string | number | null | readonly string[];

/** Without prototype: a name may be any word. `joined` makes one text of a list, with semicolons. */
export function flatValues(
  artifact: ArtifactView,
  tracker: CompiledTracker,
  { directory, viewer }: Pick<Reading, 'directory' | 'viewer'>,
  joined: boolean,
): Readonly<Record<string, Flat>> {
  const context = { directory, projectId: tracker.view.projectId };
  const row: Record<string, Flat> = { __proto__: null };
  for (const field of tracker.fields) {
    if (!viewer.may('read', tracker, field)) continue;
    const value = flatValue(field, artifact, context);
    row[field.name] = joined && Array.isArray(value) ? value.join(';') : value;
  }
  return row;
}

function flatValue(field: Field, artifact: ArtifactView, context: ListContext): Flat {
  if (isNumberType(field.type)) return numberIn(field.type, artifact);
  if (isReadOnly(field.type)) return stamp(field, artifact, context);
  const value = auditedValue(field, artifact.values[String(field.id)], context);
  if (typeof value !== 'object' || value === null) return value;
  if ('content' in value) return value.content;
  if ('manual_value' in value) return value.manual_value;
  const items: readonly { readonly id: number | string; readonly label?: string | null }[] = value;
  return items.map(({ id, label }) => label ?? String(id));
}

function stamp({ type }: Field, artifact: ArtifactView, { directory }: ListContext): string | null {
  if (type === 'subon') return isoDate(artifact.submittedOn);
  if (type === 'lud') return isoDate(artifact.lastUpdateOn);
  const id = type === 'subby' ? artifact.submittedBy : artifact.lastUpdateBy;
  return (id === null ? undefined : directory.user(id)?.username) ?? null;
}
