/** Semantics and workflow: what refers to the fields and values of the same tracker. */
import { type FieldType, type Semantics, type Transition, type Workflow } from '../trackers/definition.js';
import { type FieldEntry, type SemanticsEntry, type WorkflowEntry } from './file-shape.js';
import { type ProjectResolver } from './resolver.js';
import { type WantedForm } from './wanted-fields.js';

interface Kind {
  readonly words: string;
  readonly types: readonly FieldType[];
  readonly bind?: 'static' | 'users';
}

const TITLE: Kind = { words: 'a field of type string or text', types: ['string', 'text'] };
const STATUS: Kind = { words: 'a static list', types: ['sb', 'rb', 'msb', 'cb'], bind: 'static' };
const CONTRIBUTOR: Kind = { words: 'a list bound to users', types: ['sb', 'rb', 'msb', 'cb', 'tbl'], bind: 'users' };
const WORKFLOW: Kind = { words: 'a static list of one choice, sb or rb', types: ['sb', 'rb'], bind: 'static' };

export function wantedSemantics(
  { title, description, status, contributor }: SemanticsEntry,
  form: WantedForm,
  pointer: string,
  resolver: ProjectResolver,
): Semantics {
  const idOf = (name: string, kind: Kind, member: string): number => {
    return fieldOf(name, kind, form, `${pointer}/${member}`, resolver);
  };
  return {
    ...(title !== undefined && { title: idOf(title, TITLE, 'title') }),
    ...(description !== undefined && { description: idOf(description, TITLE, 'description') }),
    ...(status !== undefined && {
      status: {
        field: idOf(status.field, STATUS, 'status/field'),
        open: status.open.map((label, index) =>
          valueOf(label, status.field, form, `${pointer}/status/open/${index}`, resolver),
        ),
      },
    }),
    ...(contributor !== undefined && { contributor: idOf(contributor, CONTRIBUTOR, 'contributor') }),
  };
}

export function wantedWorkflow(
  entry: WorkflowEntry | undefined,
  present: Workflow | null,
  form: WantedForm,
  pointer: string,
  resolver: ProjectResolver,
): Workflow | null {
  if (entry === undefined) return null;
  const field = fieldOf(entry.field, WORKFLOW, form, `${pointer}/field`, resolver);
  const known = present?.field === field ? present.transitions : [];
  const valueAt = (label: string, place: string): number =>
    valueOf(label, entry.field, form, `${pointer}/transitions/${place}`, resolver);

  const transitions = entry.transitions.map(([from, to], index): Transition => {
    const ends = { from: from === null ? null : valueAt(from, `${index}/0`), to: valueAt(to, `${index}/1`) };
    const same = known.find((transition) => transition.from === ends.from && transition.to === ends.to);
    return { id: same?.id ?? resolver.newId('transition'), ...ends };
  });
  return { field, transitions };
}

/** 0 stands for what has been complained about. */
function fieldOf(
  name: string,
  { words, types, bind }: Kind,
  { listed }: WantedForm,
  pointer: string,
  { complain }: ProjectResolver,
): number {
  const found = listed.get(name);
  if (found === undefined) {
    complain(pointer, `names a field that the tracker does not list: ${name}`);
    return 0;
  }
  const { field } = found;
  if (!types.includes(field.type) || (bind !== undefined && field.bind !== bind)) {
    complain(pointer, `has to name ${words}: ${name} is of type ${field.type}`);
  }
  return field.id;
}

function valueOf(
  label: string,
  fieldName: string,
  { listed }: WantedForm,
  pointer: string,
  { complain }: ProjectResolver,
): number {
  const found = listed.get(fieldName);
  const isListed = found !== undefined && labelsOf(found.entry).includes(label);
  const value = isListed ? found.field.values?.find((candidate) => candidate.label === label) : undefined;
  if (value === undefined) complain(pointer, `is no value of ${fieldName}: ${label}`);
  return value?.id ?? 0;
}

function labelsOf(entry: FieldEntry): readonly string[] {
  return 'values' in entry ? entry.values.map(({ label }) => label) : [];
}
