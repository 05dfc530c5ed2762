/** A tracker's definition made ready for look-ups; one per revision of the tracker. */
import { type Field, type FieldType, type Semantics } from './field-types/definition.js';
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
  /** The tracker as if it had only those fields that are shown, with what semantics and workflow say of them. */
  restricted(show: Show): CompiledTracker;
}

/** A nameless field has no label but its id. */
export type Shown = 'whole' | 'nameless' | 'nothing';
type Show = (field: Field) => Shown;

export const isContainer = (field: Field): boolean => field.type === 'fieldset' || field.type === 'column';

const NONE: readonly Field[] = [];

export function compileTracker(view: TrackerView): CompiledTracker {
  const elements = usedElements(view.fields);
  const fields = elements.filter((field) => !isContainer(field));
  const byId = new Map(fields.map((field) => [field.id, field]));
  const byName = new Map(fields.map((field) => [field.name, field]));
  const types = new Set(fields.map(({ type }) => type));
  const byType = new Map([...types].map((type) => [type, fields.filter((field) => field.type === type)]));
  const tracker: CompiledTracker = {
    id: view.id,
    view,
    elements,
    fields,
    fieldById: (id) => byId.get(id),
    fieldNamed: (name) => byName.get(name),
    ofType: (type) => byType.get(type) ?? NONE,
    restricted: restrictions(() => tracker),
  };
  return tracker;
}

/** One for each set of fields that readers may see; few sets are in use at a time. */
const MAX_RESTRICTED = 100;

function restrictions(tracker: () => CompiledTracker): CompiledTracker['restricted'] {
  const known = new Map<string, CompiledTracker>();
  return (show) => {
    const { elements, view } = tracker();
    const shown = elements.map(show);
    if (shown.every((each) => each === 'whole')) return tracker();
    const name = shown.join();
    const made = known.get(name) ?? compileTracker(restrictedView(view, show));
    if (known.size >= MAX_RESTRICTED) known.clear();
    known.set(name, made);
    return made;
  };
}

function restrictedView({ fields, semantics, workflow, ...view }: TrackerView, show: Show): TrackerView {
  const kept = restrictedFields(fields, show);
  const ids = new Set(usedElements(kept).map(({ id }) => id));
  return {
    ...view,
    fields: kept,
    semantics: keptSemantics(semantics, ids),
    workflow: workflow !== null && ids.has(workflow.field) ? workflow : null,
  };
}

function restrictedFields(fields: readonly Field[], show: Show): readonly Field[] {
  return fields.map((field) => {
    const shown = show(field);
    return {
      ...field,
      ...(shown === 'nameless' && { label: `Field ${field.id}` }),
      ...(shown === 'nothing' && { used: false }),
      ...(field.fields && { fields: restrictedFields(field.fields, show) }),
    };
  });
}

function keptSemantics({ title, description, status, contributor }: Semantics, kept: ReadonlySet<number>): Semantics {
  const isKept = (id: number | undefined): id is number => id !== undefined && kept.has(id);
  return {
    ...(isKept(title) && { title }),
    ...(isKept(description) && { description }),
    ...(status !== undefined && kept.has(status.field) && { status }),
    ...(isKept(contributor) && { contributor }),
  };
}

/** An unused container hides nothing that it holds. */
function usedElements(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => {
    const inner = usedElements(field.fields ?? []);
    return field.used ? [field, ...inner] : inner;
  });
}
