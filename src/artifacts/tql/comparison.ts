/** One comparison of a query: what its field's type takes, and the criterion that it means. */
import { MAX_SEARCHED } from '../../core/bounds.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field, type FieldType, type ListValue } from '../../trackers/field-types/definition.js';
import { askedKey, commentsKey } from '../artifact-view.js';
import { type Comparison, type Literal, type Operator } from './expression.js';
import { commentSearch, fileSearch, type Search } from './searches.js';
import {
  ANYBODY,
  cannotCompare,
  negatedIf,
  shown,
  TEXTS,
  type Asked,
  type ComparisonContext,
  type Meaning,
} from './meaning.js';
import { dateMeaning, numberMeaning } from './ordered.js';
import { foldText } from '../../core/text/spelling.js';
import { bindingOf, groupsSpelt, plainLabel, type ListContext } from '../fields/list-values.js';
import { lookupAll } from '../fields/lookup.js';

interface Searchable {
  readonly operators: readonly Operator[];
  /** Those that may stand before the empty string. */
  readonly withEmpty: readonly Operator[];
  readonly meaning: (asked: Asked, context: ComparisonContext) => Meaning;
}

const EQUAL: readonly Operator[] = ['=', '!='];
const ORDERED: readonly Operator[] = [...EQUAL, '<', '<=', '>', '>=', 'BETWEEN'];
const LISTED: readonly Operator[] = [...EQUAL, 'IN', 'NOT IN'];

const TEXT: Searchable = { operators: EQUAL, withEmpty: EQUAL, meaning: textMeaning };
const NUMBER: Searchable = { operators: ORDERED, withEmpty: EQUAL, meaning: numberMeaning };
const DATE: Searchable = { operators: ORDERED, withEmpty: EQUAL, meaning: dateMeaning };
const LIST: Searchable = { operators: LISTED, withEmpty: EQUAL, meaning: listMeaning };
const FILE: Searchable = { operators: EQUAL, withEmpty: EQUAL, meaning: fileMeaning };
const WRITER: Searchable = { operators: LISTED, withEmpty: [], meaning: writerMeaning };

export const SEARCHABLE: Readonly<Partial<Record<FieldType, Searchable>>> = {
  string: TEXT,
  text: TEXT,
  int: NUMBER,
  float: NUMBER,
  date: DATE,
  subon: DATE,
  lud: DATE,
  sb: LIST,
  rb: LIST,
  msb: LIST,
  cb: LIST,
  subby: WRITER,
  luby: WRITER,
  file: FILE,
};

const MAX_VALUES = 1000;

export function comparisonMeaning(
  comparison: Comparison,
  field: Field,
  { id }: Pick<CompiledTracker, 'id'>,
  context: ComparisonContext,
): Meaning {
  const searchable = SEARCHABLE[field.type];
  if (searchable === undefined) return `Fields of type ${field.type}, such as "${comparison.name}", cannot be searched`;
  const key = askedKey(id, field);
  const asked = { ...comparison, field, key, tracker: id };
  return meaningOfAny(comparison, key, searchable) ?? searchable.meaning(asked, context);
}

export function commentsMeaning(comparison: Comparison, { id }: Pick<CompiledTracker, 'id'>): Meaning {
  return (
    meaningOfAny(comparison, commentsKey(id), TEXT) ?? searchMeaning(comparison, (text) => commentSearch(id, text))
  );
}

/** Undefined for what a field of the type takes, apart from the empty text. */
function meaningOfAny(
  { name, operator, values }: Comparison,
  key: string,
  { operators, withEmpty }: Pick<Searchable, 'operators' | 'withEmpty'>,
): Meaning | undefined {
  if (!operators.includes(operator))
    return `Unsupported operator ${operator} for field "${name}"; use ${listed(operators)}`;
  if (values.length > MAX_VALUES) return `${operator} takes at most ${MAX_VALUES} values`;
  if (values.some(isTooLong)) return `Field "${name}" is compared with texts of at most ${MAX_SEARCHED} characters`;
  if (values.some(holdsNul)) return `Field "${name}" cannot be compared with a text that holds the character U+0000`;
  if (!values.some(isEmpty)) return undefined;
  if (withEmpty.includes(operator)) return negatedIf(operator === '!=', { type: 'empty', key });
  const allowed = withEmpty.length === 0 ? '' : `; use ${listed(withEmpty)}`;
  return `Field "${name}" cannot be compared with an empty text by ${operator}${allowed}`;
}

const isTooLong = (value: Literal): boolean => 'text' in value && value.text.length > MAX_SEARCHED;
/** Stores search it as U+FFFD: the result would not be what is asked for. */
const holdsNul = (value: Literal): boolean => 'text' in value && value.text.includes('\0');
const isEmpty = (value: Literal): boolean => value.type === 'text' && value.text === '';
const listed = (operators: readonly Operator[]): string => operators.join(' or ');
function textMeaning({ key, name, operator, values: [value] }: Asked): Meaning {
  if (!('text' in value)) return cannotCompare(name, value, TEXTS);
  return negatedIf(operator === '!=', { type: 'contains', key, text: value.text });
}

function fileMeaning({ field, tracker, ...comparison }: Asked): Meaning {
  return searchMeaning(comparison, (text) => fileSearch(tracker, field.id, text));
}

function searchMeaning({ name, values: [value] }: Comparison, searchFor: (text: string) => Search): Meaning {
  return 'text' in value ? searchFor(value.text) : cannotCompare(name, value, TEXTS);
}

const isNegative = (operator: Operator): boolean => operator === '!=' || operator === 'NOT IN';

/** Of IN and NOT IN one value has to be known, of the others the only one. */
function listMeaning(asked: Asked, context: ComparisonContext): Meaning {
  const { field, name, key, operator, values } = asked;
  const labels = labelsIn(asked, context);
  if (typeof labels === 'string') return labels;
  const ids = [...new Set([...new Set(labels)].flatMap((label) => idsLabelled(field, label, context)))];
  const isLookedAt = context.user !== ANYBODY || (field.bind ?? 'static') === 'static';
  if (ids.length === 0 && isLookedAt)
    return `Field "${name}" has no value ${shown(values[0])}; use the label of one of its values`;
  return negatedIf(isNegative(operator), { type: 'any-of', key, values: ids });
}

/** Every user has to exist. */
function writerMeaning(asked: Asked, context: ComparisonContext): Meaning {
  const { key, name, operator } = asked;
  const names = labelsIn(asked, context);
  if (typeof names === 'string') return names;
  const users = names.map((each) => context.definitions.userNamed(each)?.id);
  const unknown = names.find((_, index) => users[index] === undefined);
  if (unknown !== undefined && context.user !== ANYBODY)
    return `Field "${name}" knows no user "${unknown}"; use the login name of a user`;
  return negatedIf(isNegative(operator), { type: 'any-of', key, values: users.filter((id) => id !== undefined) });
}

/** A text says what is wrong. */
function labelsIn({ name, values }: Asked, { user }: ComparisonContext): readonly string[] | string {
  const labels: string[] = [];
  for (const value of values) {
    if (value.type === 'myself' && user === null)
      return `MYSELF() has no meaning for field "${name}": nobody is signed in`;
    const label = value.type === 'myself' ? nameOf(user) : 'text' in value ? value.text : undefined;
    if (label === undefined) return cannotCompare(name, value, `${TEXTS} or MYSELF()`);
    labels.push(label);
  }
  return labels;
}

const nameOf = (user: ComparisonContext['user']): string | undefined => (user === ANYBODY ? '' : user?.username);

const folded = (label: string): string => foldText(plainLabel(label));
const groupsOfLabel = groupsSpelt(folded);
const valuesOfLabel = lookupAll(({ label }: ListValue) => folded(label));

/** The ids of all values with the label, hidden ones too; case does not count. Empty for a label that the list does not have. */
function idsLabelled(field: Field, label: string, context: ListContext): readonly number[] {
  switch (field.bind ?? 'static') {
    case 'static':
      return valuesOfLabel(field.values ?? [], folded(label)).map(({ id }) => id);
    case 'users':
      return offeredUser(field, label, context);
    case 'user_groups':
      return groupsOfLabel(field, folded(label), context);
  }
}

function offeredUser(field: Field, name: string, context: ListContext): readonly number[] {
  const user = context.definitions.userNamed(name);
  return user !== undefined && bindingOf(field).offers(field, user.id, context) ? [user.id] : [];
}
