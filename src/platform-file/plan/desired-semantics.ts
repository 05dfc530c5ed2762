/** Semantics, and what semantics and workflow share: both refer to the fields and values of the same tracker. */
import { allFields, type FieldType, type ListValue, type Semantics } from '../../trackers/field-types/definition.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { type TrackerEntry } from '../format/tracker-schema.js';
import { valueLabelled } from './desired-list.js';
import { inside, type Named } from './member.js';
import { shortList, type ProjectResolver } from './resolver.js';
import { type OfferedField, type DesiredForm } from './desired-fields.js';

export interface Kind {
  readonly words: string;
  readonly types: readonly FieldType[];
  readonly bind?: 'static' | 'users';
}

const TITLE: Kind = { words: 'a field of type string or text', types: ['string', 'text'] };
const STATUS: Kind = { words: 'a static list', types: ['sb', 'rb', 'msb', 'cb'], bind: 'static' };
const CONTRIBUTOR: Kind = { words: 'a list bound to users', types: ['sb', 'rb', 'msb', 'cb', 'tbl'], bind: 'users' };

/** A tracker as far as its semantics and its workflow refer to it. */
export interface DesiredSemantics {
  readonly form: DesiredForm;
  readonly present: TrackerView | undefined;
  /** Of the tracker. */
  readonly pointer: string;
  readonly resolver: ProjectResolver;
}

export function desiredSemantics(named: TrackerEntry['semantics'], meaning: DesiredSemantics): Semantics {
  const present = meaning.present?.semantics;
  const fieldNamed = (member: 'title' | 'description' | 'contributor', kind: Kind): number | undefined => {
    const pointer = `semantics/${member}`;
    const name = inside(named, member);
    if (name === undefined) return keptField(present?.[member], pointer, meaning);
    return name === null ? undefined : fieldOf(name, kind, pointer, meaning);
  };
  const title = fieldNamed('title', TITLE);
  const description = fieldNamed('description', TITLE);
  const status = desiredStatus(inside(named, 'status'), present?.status, meaning);
  const contributor = fieldNamed('contributor', CONTRIBUTOR);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
    ...(contributor !== undefined && { contributor }),
  };
}

function desiredStatus(
  named: Named<{ readonly field: string; readonly open: readonly string[] }>,
  present: Semantics['status'],
  meaning: DesiredSemantics,
): Semantics['status'] {
  if (named === undefined) {
    keptField(present?.field, 'semantics/status', meaning);
    return present;
  }
  if (named === null) return undefined;
  const field = fieldOf(named.field, STATUS, 'semantics/status/field', meaning);
  const valueOf = valueFinder(named.field, meaning);
  const open = named.open.map((label, index) => valueOf(label, `semantics/status/open/${index}`));
  // A label may be spelled in two ways.
  return { field, open: [...new Set(open)] };
}

/** What is not named stays, and needs its field: a field that it names cannot go out of use. */
export function keptField(
  id: number | undefined,
  member: string,
  { form, present, pointer, resolver }: DesiredSemantics,
) {
  const field = allFields(present?.fields ?? []).find((candidate) => candidate.id === id);
  if (field?.used === true && !form.offered.has(field.name)) {
    resolver.complain(
      `${pointer}/fields`,
      `leaves out ${field.name}, which ${member} of the tracker names: change that too`,
    );
  }
  return id;
}

/** 0 stands for what has been complained about. */
export function fieldOf(
  name: string,
  { words, types, bind }: Kind,
  member: string,
  { form, pointer, resolver: { complain } }: DesiredSemantics,
): number {
  const found = form.offered.get(name);
  if (found === undefined) {
    complain(
      `${pointer}/${member}`,
      `names a field that the tracker does not list: ${name}; it lists ${shortList([...form.offered.keys()])}`,
    );
    return 0;
  }
  const { field } = found;
  if (!types.includes(field.type) || (bind !== undefined && field.bind !== bind)) {
    complain(`${pointer}/${member}`, `has to name ${words}: ${name} is of type ${field.type}`);
  }
  return field.id;
}

/** Finds the values of a field by label. 0 stands for what has been complained about. */
export function valueFinder(
  fieldName: string,
  { form, pointer, resolver: { complain } }: DesiredSemantics,
): (label: string, member: string) => number {
  const found = form.offered.get(fieldName);
  const values = valuesToName(found);
  const words = valuesOf(found);
  return (label, member) => {
    const id = valueLabelled(values, label)?.id;
    if (id === undefined) complain(`${pointer}/${member}`, `is no value of ${fieldName}: ${label}${words}`);
    return id ?? 0;
  };
}

function valuesOf(found: OfferedField | undefined): string {
  const labels = (found?.field.values ?? []).filter(({ hidden }) => !hidden).map(({ label }) => label);
  return labels.length === 0 ? '' : `; its values are ${shortList(labels)}`;
}

/** Where the file lists values, those, which come first: a value that it drops is none to name. */
export function valuesToName(found: OfferedField | undefined): readonly ListValue[] {
  if (found === undefined) return [];
  const {
    field: { values = [] },
    listed,
  } = found;
  const entry = listed?.entry;
  return entry !== undefined && 'values' in entry ? values.slice(0, entry.values?.length ?? 0) : values;
}
