/** How a tracker's representation tells form, semantics and workflow: the parts that only name fields by their ids. */
import { isContainer, type CompiledTracker } from './compiled-tracker.js';
import { type Field } from './field-types/definition.js';

export interface FormNode {
  readonly id: number;
  /** Null: no container. */
  readonly content: readonly FormNode[] | null;
}

export function formTree(fields: readonly Field[]): readonly FormNode[] {
  return fields.flatMap((field) => {
    const inner = formTree(field.fields ?? []);
    return field.used ? [{ id: field.id, content: isContainer(field) ? inner : null }] : inner;
  });
}

/** Clients recognise one that is missing by its absent key. */
export function semantics(tracker: CompiledTracker) {
  const { title, description, status, contributor } = tracker.view.semantics;
  const isUsed = (id: number | undefined): id is number => id !== undefined && tracker.fieldById(id) !== undefined;
  return {
    ...(isUsed(title) && { title: { field_id: title } }),
    ...(isUsed(description) && { description: { field_id: description } }),
    ...(status && isUsed(status.field) && { status: { field_id: status.field, value_ids: status.open } }),
    ...(isUsed(contributor) && { contributor: { field_id: contributor } }),
  };
}

const UNUSED_WORKFLOW = {
  field_id: 0,
  is_used: '0',
  is_legacy: false,
  is_advanced: false,
  rules: { dates: [], lists: [] },
  transitions: [],
};

/** Null only for readers who may not read the field that it governs. `is_used` is a text, as clients parse it. */
export function workflow(tracker: CompiledTracker, readable: CompiledTracker) {
  const definition = tracker.view.workflow;
  if (definition === null || tracker.fieldById(definition.field) === undefined) return UNUSED_WORKFLOW;
  const { field, transitions } = definition;
  if (readable.fieldById(field) === undefined) return null;
  return {
    ...UNUSED_WORKFLOW,
    field_id: field,
    is_used: '1',
    transitions: transitions.map(({ id, from, to }) => ({ id, from_id: from, to_id: to })),
  };
}
