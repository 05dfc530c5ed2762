import { invalidIn } from '../../core/problem.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { anyPlace } from './input/places.js';
import { type RefusedValues } from './violations.js';

interface WorkflowBound extends RefusedValues {
  readonly tracker: CompiledTracker;
}

/** A workflow names every step that its field may take, the first one (from null) included. A field that is left out takes none. */
export function refuseTransition(command: WorkflowBound, current: FieldValues, changed: FieldValues): void {
  const { workflow } = command.tracker.view;
  const key = String(workflow?.field);
  if (workflow === null || !Object.hasOwn(changed, key)) return;

  const from = selected(current[key]);
  const to = selected(changed[key]);
  if (workflow.transitions.some((step) => step.from === from && step.to === to)) return;
  const message = noTransition(command, workflow.field, { from, to });
  const { placeOf = anyPlace } = command;
  throw invalidIn(placeOf(workflow.field), message);
}

function noTransition(
  { tracker, blind = [] }: WorkflowBound,
  fieldId: number,
  { from, to }: { readonly from: number | null; readonly to: number | null },
): string {
  const { label: name = String(fieldId), values = [] } = tracker.fieldById(fieldId) ?? {};
  if (blind.includes(fieldId)) return `${name}: the workflow has no such transition`;
  const label = (id: number | null, none: string): string => values.find((value) => value.id === id)?.label ?? none;
  const [start, end] = [label(from, 'New artifact'), label(to, 'None')];
  return `The workflow has no transition from "${start}" to "${end}" in the field ${name}`;
}

function selected(value: FieldValue | undefined): number | null {
  const first: unknown = Array.isArray(value) ? value[0] : null;
  return typeof first === 'number' ? first : null;
}
