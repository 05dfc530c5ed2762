/** The workflow that a file asks for: transitions between values that artifacts can take. */
import {
  allFields,
  transitionKey,
  type Field,
  type Transition,
  type Workflow,
} from '../../trackers/field-types/definition.js';
import { type TrackerEntry } from '../format/tracker-schema.js';
import {
  fieldOf,
  keptField,
  valueFinder,
  valuesToName,
  type DesiredSemantics,
  type Kind,
} from './desired-semantics.js';
import { hiddenFault, hiddenIn, refuseHiding, storedLabel } from './desired-list.js';
import { refuseDuplicates } from './resolver.js';

const WORKFLOW: Kind = { words: 'a static list of one choice, sb or rb', types: ['sb', 'rb'], bind: 'static' };

/** Stands for a value that was complained about. */
const REFUSED = 0;

export function desiredWorkflow(entry: TrackerEntry['workflow'], meaning: DesiredSemantics): Workflow | null {
  const present = meaning.present?.workflow ?? null;
  if (entry === undefined) return keptWorkflow(present, meaning);
  if (entry === null) return null;
  const field = fieldOf(entry.field, WORKFLOW, 'workflow/field', meaning);
  const hidden = hiddenValues(field, meaning);
  const known = new Map(
    (present?.field === field ? present.transitions : []).map((each) => [transitionKey(each), each.id]),
  );
  const values = valuesToName(meaning.form.offered.get(entry.field));
  refuseDuplicates(
    entry.transitions.map((ends) => JSON.stringify(ends.map((label) => label && storedLabel(values, label)))),
    (index) => `${meaning.pointer}/workflow/transitions/${index}`,
    meaning.resolver.complain,
  );
  const valueOf = valueFinder(entry.field, meaning);
  const valueAt = (label: string, place: string): number => valueOf(label, `workflow/transitions/${place}`);

  const transitions = entry.transitions.map(([from, to], index): Transition => {
    const ends = { from: from === null ? null : valueAt(from, `${index}/0`), to: valueAt(to, `${index}/1`) };
    const id = known.get(transitionKey(ends));
    const shown = (label: string, value: number, place: string): number => {
      if (!hidden.after.has(value) || (id !== undefined && hidden.before.has(value))) return value;
      meaning.resolver.complain(`${meaning.pointer}/workflow/transitions/${place}`, hiddenFault(label));
      return REFUSED;
    };
    return {
      id: id ?? meaning.resolver.newId('transition'),
      from: from === null || ends.from === null ? null : shown(from, ends.from, `${index}/0`),
      to: shown(to, ends.to, `${index}/1`),
    };
  });
  refuseWithoutFirst({ field, transitions }, present, hidden, meaning);
  return { field, transitions };
}

/** Ids of the hidden values of a field. */
interface Hidden {
  readonly before: ReadonlySet<number>;
  readonly after: ReadonlySet<number>;
}

function hiddenValues(field: number, { form, present }: DesiredSemantics): Hidden {
  const valuesIn = (fields: readonly Field[]) => allFields(fields).find(({ id }) => id === field)?.values;
  return { before: hiddenIn(valuesIn(present?.fields ?? [])), after: hiddenIn(valuesIn(form.fields)) };
}

function keptWorkflow(present: Workflow | null, meaning: DesiredSemantics): Workflow | null {
  if (present === null) return null;
  keptField(present.field, 'workflow', meaning);
  refuseHidingEnds(present, meaning);
  return present;
}

/** Without the value of its first transition, say, a workflow would let nobody create an artifact. */
function refuseHidingEnds({ field, transitions }: Workflow, { form, present, resolver }: DesiredSemantics): void {
  const before = allFields(present?.fields ?? []).find(({ id }) => id === field);
  const offered = before && form.offered.get(before.name);
  if (offered?.listed === undefined) return;
  const ends = transitions.flatMap(({ from, to }) => [from, to]);
  const values = { before: before?.values, after: offered.field.values };
  refuseHiding(ends, values, 'the workflow of the tracker', offered.listed.pointer, resolver);
}

/** A workflow of an older file that has none may stay. */
function refuseWithoutFirst(
  workflow: Workflow,
  present: Workflow | null,
  hidden: Hidden,
  { pointer, resolver }: DesiredSemantics,
): void {
  if (isStartable(workflow, hidden.after)) return;
  if (present?.field === workflow.field && !isStartable(present, hidden.before)) return;
  resolver.complain(
    `${pointer}/workflow/transitions`,
    'has no first transition, so no artifact can be created; add one such as [null, Open]',
  );
}

/** Whether an artifact can be created. */
const isStartable = ({ transitions }: Workflow, hidden: ReadonlySet<number>): boolean =>
  transitions.some(({ from, to }) => from === null && !hidden.has(to));
