/** A tracker's definition made ready for look-ups; one per revision of the tracker. */
import { type Field, type FieldType } from './definition.js';
import { type TrackerView } from './tracker-view.js';

export interface CompiledTracker {
  readonly id: number;
  readonly view: TrackerView;
  /** Every used form element in display order, containers before what they hold. */
  readonly elements: readonly Field[];
  /** Used fields that are no containers, in display order. */
  readonly fields: readonly Field[];
  fieldById(id: number): Field | undefined;
  fieldNamed(name: string): Field | undefined;
  ofType(type: FieldType): readonly Field[];
}

export const isContainer = (field: Field): boolean => field.type === 'fieldset' || field.type === 'column';

const NONE: readonly Field[] = [];

export function compileTracker(view: TrackerView): CompiledTracker {
  const elements = usedElements(view.fields);
  const fields = elements.filter((field) => !isContainer(field));
  const byId = new Map(fields.map((field) => [field.id, field]));
  const byName = new Map(fields.map((field) => [field.name, field]));
  const types = new Set(fields.map(({ type }) => type));
  const byType = new Map([...types].map((type) => [type, fields.filter((field) => field.type === type)]));
  return {
    id: view.id,
    view,
    elements,
    fields,
    fieldById: (id) => byId.get(id),
    fieldNamed: (name) => byName.get(name),
    ofType: (type) => byType.get(type) ?? NONE,
  };
}

/** Whether used or not, containers before what they hold. */
export function allFields(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => [field, ...allFields(field.fields ?? [])]);
}

/** An unused container hides nothing that it holds. */
function usedElements(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => {
    const inner = usedElements(field.fields ?? []);
    return field.used ? [field, ...inner] : inner;
  });
}
