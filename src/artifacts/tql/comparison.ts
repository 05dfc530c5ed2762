/** One comparison of a query: what its field's type takes, and the criterion that it means. */
import { type Criterion, type Range } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field, type FieldType } from '../../trackers/field-types/definition.js';
import { type UserView } from '../../users/user-view.js';
import { askedKey } from '../artifact-view.js';
import { type ListContext } from '../fields/list-values.js';
import { type Comparison, type Literal, type Operator } from './expression.js';
import { idsLabelled } from './labels.js';
import { numberFrom, spanFrom, type Span } from './literals.js';

export const ANYBODY = 'anybody';

export interface ComparisonContext extends ListContext {
  /** Null: anonymous. Anybody: whether there are such users and groups is not looked at, which may change. */
  readonly user: Pick<UserView, 'username'> | null | typeof ANYBODY;
  readonly now: Date;
}

/** A comparison with what stands on its left. */
interface Asked extends Comparison {
  readonly field: Field;
  readonly key: string;
}

/** A text says what is wrong. */
type Meaning = Criterion | string;

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
};

const MAX_VALUES = 1000;

export function comparisonMeaning(
  comparison: Comparison,
  field: Field,
  { id }: Pick<CompiledTracker, 'id'>,
  context: ComparisonContext,
): Meaning {
  const { operator, values, name } = comparison;
  const searchable = SEARCHABLE[field.type];
  if (searchable === undefined) return `Fields of type ${field.type}, such as "${name}", cannot be searched`;
  const { operators, withEmpty, meaning } = searchable;
  if (!operators.includes(operator))
    return `Unsupported operator ${operator} for field "${name}"; use ${listed(operators)}`;
  if (values.length > MAX_VALUES) return `${operator} takes ${MAX_VALUES} values at most`;
  const key = askedKey(id, field);
  if (!values.some(isEmpty)) return meaning({ ...comparison, field, key }, context);
  if (withEmpty.includes(operator)) return negatedIf(operator === '!=', { type: 'empty', key });
  const allowed = withEmpty.length === 0 ? '' : `; use ${listed(withEmpty)}`;
  return `Field "${name}" cannot be compared with an empty text by ${operator}${allowed}`;
}

const isEmpty = (value: Literal): boolean => value.type === 'text' && value.text === '';
const listed = (operators: readonly Operator[]): string => operators.join(' or ');
const negatedIf = (isNegated: boolean, criterion: Criterion): Criterion =>
  isNegated ? { type: 'not', criterion } : criterion;

function textMeaning({ key, name, operator, values: [value] }: Asked): Meaning {
  if (!('text' in value)) return `Field "${name}" cannot be compared with ${shown(value)}; use a text in quotes`;
  return negatedIf(operator === '!=', { type: 'contains', key, text: value.text });
}

function numberMeaning(asked: Asked): Meaning {
  return orderedMeaning(asked, 'a number', (value) => {
    const number = numberFrom(value);
    return number === undefined ? undefined : { first: number, last: number };
  });
}

/** Those that everything has always hold a time. */
function dateMeaning(asked: Asked, { now }: ComparisonContext): Meaning {
  const withTime = asked.field.type !== 'date' || asked.field.time === true;
  const takes = withTime ? '"2026-03-10", "2026-03-10 14:05" or NOW()' : '"2026-03-10" or NOW()';
  return orderedMeaning(asked, takes, (value) => spanFrom(value, withTime, now));
}

/** Of numbers, and of dates as seconds: a value stands for all from its first to its last. */
function orderedMeaning(asked: Asked, takes: string, spanOf: (value: Literal) => Span | undefined): Meaning {
  const { key, name, operator, values } = asked;
  const wrong = values.find((value) => spanOf(value) === undefined);
  const [span, end = span] = values.map(spanOf);
  if (wrong !== undefined || span === undefined || end === undefined)
    return `Field "${name}" cannot be compared with ${shown(wrong ?? values[0])}; use ${takes}`;
  return negatedIf(operator === '!=', within(key, operator, span, end));
}

function within(key: string, operator: Operator, span: Span, end: Span): Criterion {
  const bounds = BOUNDS[operator];
  if (bounds !== undefined) return { type: 'range', key, ...bounds(span) };
  const [from, to] = [span.first, end.last];
  return from === to ? { type: 'any-of', key, values: [from] } : { type: 'range', key, from, to };
}

const BOUNDS: Readonly<
  Partial<Record<Operator, (span: Span) => Pick<Range<number>, 'above' | 'from' | 'to' | 'below'>>>
> = {
  '<': ({ first }) => ({ below: first }),
  '<=': ({ last }) => ({ to: last }),
  '>': ({ last }) => ({ above: last }),
  '>=': ({ first }) => ({ from: first }),
};

const isNegative = (operator: Operator): boolean => operator === '!=' || operator === 'NOT IN';

/** Of IN and NOT IN one value has to be known, of the others the only one. */
function listMeaning(asked: Asked, context: ComparisonContext): Meaning {
  const { field, name, key, operator, values } = asked;
  const labels = labelsIn(asked, context);
  if (typeof labels === 'string') return labels;
  const ids = [...new Set(labels.flatMap((label) => idsLabelled(field, label, context)))];
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
    if (label === undefined)
      return `Field "${name}" cannot be compared with ${shown(value)}; use a text in quotes or MYSELF()`;
    labels.push(label);
  }
  return labels;
}

const nameOf = (user: ComparisonContext['user']): string | undefined => (user === ANYBODY ? '' : user?.username);

function shown(value: Literal): string {
  return 'text' in value ? JSON.stringify(value.text) : `${value.type.toUpperCase()}()`;
}
