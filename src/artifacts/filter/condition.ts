/** One member of a filter: which operators and values its field's type takes, and the criteria that they mean. */
import { MAX_SEARCHED } from '../../core/bounds.js';
import { pointerTo, Problem } from '../../core/problem.js';
import { type Criterion } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field, type FieldType } from '../../trackers/field-types/definition.js';
import { askedKey } from '../artifact-view.js';
import { shown } from '../fields/field-input.js';
import { type ListContext } from '../fields/list-values.js';
import { itemsLabelled } from '../fields/open-list.js';
import { dateCriteria } from './dates.js';
import { listItems, openListItems } from './lists.js';
import { numberCriteria, textCriteria, type Comparing } from './comparisons.js';

const MAX_VALUES = 500;

interface Condition {
  /** The operator as the client names it. The type of the field defines the allowed ones. */
  readonly operator: unknown;
  /** Blank, or an empty list, it says nothing and makes no condition, except for `empty`. */
  readonly value: unknown;
}

/** Undefined: the value is none that the type takes. */
type Criteria = readonly Criterion[] | undefined;

type Operator = Comparing | '!=' | 'empty';

interface Searchable {
  readonly operators: readonly Operator[];
  /** With `=` it is one criterion at most. */
  readonly criteria: (key: string, operator: Comparing, value: unknown, field: Field, context: ListContext) => Criteria;
  /** What the values look like, for those whose value is none. */
  readonly takes: string;
}

const EQUAL: readonly Operator[] = ['contains', '=', '!=', 'empty'];
const ORDERED: readonly Operator[] = ['contains', '=', '!=', '<', '<=', '>', '>=', 'between', 'empty'];

const WORDS: Searchable = {
  operators: EQUAL,
  criteria: textCriteria,
  takes: 'a text',
};

const NUMBER: Searchable = {
  operators: ORDERED,
  criteria: numberCriteria,
  takes: 'a number, a comparison such as ">=5", a range such as "1 - 9", or two numbers with the operator between',
};

const LIST: Searchable = {
  operators: EQUAL,
  criteria: (key, _, value, field, context) => anyOf(key, listItems(value, groupPrefix(field, context))),
  takes: 'the id of a value, or a list of ids',
};

const USER: Searchable = { ...LIST, takes: 'the id of a user, or a list of ids' };

const OPEN_LIST: Searchable = {
  operators: EQUAL,
  criteria: (key, _, value, field, context) => {
    const labelled = (label: string) => itemsLabelled(field, label, context);
    return anyOf(key, openListItems(value, labelled, groupPrefix(field, context)));
  },
  takes: 'an id or a label, or a list of both',
};

const DATE: Searchable = {
  operators: ORDERED,
  criteria: dateCriteria,
  takes:
    'a date such as 2026-03-05, an instant such as 2026-03-05T10:11:12Z, a comparison such as ">2026-03-05", a range such as "2026-03-01 - 2026-03-05", or two dates with the operator between',
};

export const SEARCHABLE: Readonly<Partial<Record<FieldType, Searchable>>> = {
  string: WORDS,
  text: WORDS,
  int: NUMBER,
  float: NUMBER,
  aid: NUMBER,
  atid: NUMBER,
  sb: LIST,
  rb: LIST,
  msb: LIST,
  cb: LIST,
  subby: USER,
  luby: USER,
  tbl: OPEN_LIST,
  date: DATE,
  subon: DATE,
  lud: DATE,
};

/** `name` is how the client called the field. */
export function fieldCriteria(
  { id: trackerId }: Pick<CompiledTracker, 'id'>,
  field: Field,
  name: string,
  given: unknown,
  context: ListContext,
): readonly Criterion[] {
  const searchable = SEARCHABLE[field.type];
  if (searchable === undefined) throw invalid(name, `Fields of type ${field.type} cannot be searched`);

  const condition = conditionOf(name, given, searchable);
  const operator = operatorFrom(name, condition, searchable);
  const fault = valueFault(condition.value);
  if (fault !== undefined) throw invalid(name, fault);

  const key = askedKey(trackerId, field);
  if (operator === 'empty') return emptiness(name, key, condition.value);
  if (saysNothing(condition.value)) return [];
  const sign = operator === '!=' ? '=' : operator;
  const criteria = searchable.criteria(key, sign, condition.value, field, context);
  if (criteria === undefined)
    throw invalid(name, `The field cannot be compared with the value; use ${searchable.takes}`);
  return sign === operator ? criteria : criteria.map(not);
}

const not = (criterion: Criterion): Criterion => ({ type: 'not', criterion });

function emptiness(name: string, key: string, value: unknown): readonly Criterion[] {
  if (typeof value !== 'boolean') throw invalid(name, 'The operator "empty" takes true or false');
  const empty: Criterion = { type: 'empty', key };
  return [value ? empty : not(empty)];
}

const invalid = (name: string, message: string): Problem =>
  new Problem('invalid', `Criterion for field ${name}: ${message}`, {
    details: [{ pointer: pointerTo(name), message }],
  });

function conditionOf(name: string, given: unknown, { takes }: Searchable): Condition {
  if (isBasic(given)) return { operator: 'contains', value: given };
  if (!isObject(given)) throw invalid(name, `Expected ${takes}; or an object with operator and value`);
  const { operator, value } = given;
  // Some clients write {"id": 103} for the value 103; Tuleap looks at the values of the members alone.
  if (operator === undefined && value === undefined) return { operator: 'contains', value: membersOf(given) };
  if (operator === undefined || value === undefined) {
    throw invalid(name, 'Expected an object with operator and value, one of them is missing');
  }
  return { operator, value };
}

function membersOf(given: object): unknown {
  const values: readonly unknown[] = Object.values(given);
  return values.length === 1 ? values[0] : values;
}

function operatorFrom(name: string, { operator }: Condition, { operators }: Searchable): Operator {
  const known = operators.find((each) => each === operator);
  if (known !== undefined) return known;
  const listed = operators.map((each) => `"${each}"`).join(', ');
  throw invalid(name, `Unsupported operator ${shown(operator)}; use ${listed}`);
}

const isBasic = (given: unknown): boolean =>
  typeof given === 'string' || typeof given === 'number' || Array.isArray(given);

const isObject = (given: unknown): given is { readonly operator?: unknown; readonly value?: unknown } =>
  typeof given === 'object' && given !== null;

const NUL = 'A text with the character U+0000 cannot be searched';
const holdsNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0');

/** How long it is comes first, before anything looks at all of it. */
function valueFault(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    if (value.length > MAX_VALUES) return `At most ${MAX_VALUES} values can be asked for at once`;
    return value.some(holdsNul) ? NUL : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (value.length > MAX_SEARCHED) return `The text takes at most ${MAX_SEARCHED} characters`;
  if (holdsNul(value)) return NUL;
  return /^!?\/.+\/$/s.test(value) ? 'Regular expressions are not supported' : undefined;
}

const saysNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === '';

/** None at all when nothing but the list's None was asked for. */
function anyOf(key: string, values: readonly (number | string)[] | undefined): Criteria {
  if (values === undefined) return undefined;
  return values.length === 0 ? [] : [{ type: 'any-of', key, values }];
}

/** Lists bound to groups hold them by number, clients also know them as `<project>_<number>`. */
const groupPrefix = ({ bind }: Field, { projectId }: ListContext): string | undefined =>
  bind === 'user_groups' ? `${projectId}_` : undefined;
