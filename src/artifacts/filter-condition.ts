/** One member of a filter: which operators and values its field's type takes, and the criteria that they mean. */
import { MAX_TEXT_BYTES } from '../core/bounds.js';
import { Problem } from '../core/problem.js';
import { foldText, type Criterion } from '../core/read-models.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field, type FieldType } from '../trackers/definition.js';
import {
  ATID_KEY,
  fieldKey,
  ID_KEY,
  SUBMITTED_BY_KEY,
  SUBMITTED_ON_KEY,
  UPDATED_BY_KEY,
  UPDATED_ON_KEY,
} from './artifact-entries.js';
import { dateRange } from './filter-dates.js';
import { listItems, openListItems } from './filter-lists.js';
import { numberCriterion } from './filter-numbers.js';

const OPERATORS = ['contains', '=', '<', '>', 'between'] as const;

const MAX_VALUES = 500;

type Operator = (typeof OPERATORS)[number];

interface Condition {
  readonly operator: Operator;
  /** Never blank, never an empty list: those say nothing and make no condition. */
  readonly value: unknown;
}

/** Undefined: the value is none that the type takes. */
type Criteria = readonly Criterion[] | undefined;

interface Searchable {
  readonly operators: readonly Operator[];
  readonly criteria: (key: string, condition: Condition, field: Field, tracker: CompiledTracker) => Criteria;
}

const WORDS: Searchable = { operators: ['contains'], criteria: (key, { value }) => wordCriteria(key, value) };

const NUMBER: Searchable = {
  operators: ['contains'],
  criteria: (key, { value }) => {
    const criterion = numberCriterion(key, value);
    return criterion && [criterion];
  },
};

const LIST: Searchable = {
  operators: ['contains'],
  criteria: (key, { value }, field, tracker) => anyOf(key, listItems(value, groupPrefix(field, tracker))),
};

const OPEN_LIST: Searchable = {
  operators: ['contains'],
  criteria: (key, { value }, field, tracker) => anyOf(key, openListItems(value, groupPrefix(field, tracker))),
};

const DATE: Searchable = {
  operators: ['=', 'contains', '<', '>', 'between'],
  criteria: (key, { operator, value }) => {
    const range = dateRange(operator, value);
    return range && [{ type: 'range', key, ...range }];
  },
};

const SEARCHABLE: Readonly<Partial<Record<FieldType, Searchable>>> = {
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
  subby: LIST,
  luby: LIST,
  tbl: OPEN_LIST,
  date: DATE,
  subon: DATE,
  lud: DATE,
};

const OWN_KEYS: Readonly<Partial<Record<FieldType, string>>> = {
  aid: ID_KEY,
  atid: ATID_KEY,
  subby: SUBMITTED_BY_KEY,
  luby: UPDATED_BY_KEY,
  subon: SUBMITTED_ON_KEY,
  lud: UPDATED_ON_KEY,
};

/** `name` is how the client called the field. */
export function fieldCriteria(
  tracker: CompiledTracker,
  field: Field,
  name: string,
  given: unknown,
): readonly Criterion[] {
  const searchable = SEARCHABLE[field.type];
  if (searchable === undefined) throw invalid(name, `Fields of type ${field.type} cannot be searched`);

  const condition = conditionOf(name, given);
  if (!searchable.operators.includes(condition.operator)) {
    throw invalid(name, `The operator is none of those of this field: ${searchable.operators.join(', ')}`);
  }
  const fault = valueFault(condition.value);
  if (fault !== undefined) throw invalid(name, fault);
  if (saysNothing(condition.value)) return [];

  const criteria = searchable.criteria(OWN_KEYS[field.type] ?? fieldKey(field.id), condition, field, tracker);
  if (criteria === undefined) throw invalid(name, 'The value is none that this field can be compared with');
  return criteria;
}

/** RFC 6901. */
export const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const invalid = (name: string, message: string): Problem =>
  new Problem('invalid', `Criterion for field ${name}: ${message}`, {
    details: [{ pointer: pointerTo(name), message }],
  });

function conditionOf(name: string, given: unknown): Condition {
  if (isBasic(given)) return { operator: 'contains', value: given };
  if (!isObject(given)) throw invalid(name, 'Expected a value, or an object with operator and value');
  const { operator, value } = given;
  // Some clients write {"id": 103} for the value 103; Tuleap looks at the values of the members alone.
  if (operator === undefined && value === undefined) return { operator: 'contains', value: Object.values(given) };
  if (operator === undefined || value === undefined) {
    throw invalid(name, 'Expected an object with operator and value, one of them is missing');
  }
  return { operator: operatorFrom(name, operator), value };
}

function operatorFrom(name: string, given: unknown): Operator {
  const operator = OPERATORS.find((known) => known === given);
  if (operator === undefined) throw invalid(name, `Unknown operator; known are ${OPERATORS.join(', ')}`);
  return operator;
}

const isBasic = (given: unknown): boolean =>
  typeof given === 'string' || typeof given === 'number' || Array.isArray(given);

const isObject = (given: unknown): given is { readonly operator?: unknown; readonly value?: unknown } =>
  typeof given === 'object' && given !== null;

/** How long it is comes first, before anything looks at all of it. */
function valueFault(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    return value.length > MAX_VALUES ? `At most ${MAX_VALUES} values can be asked for at once` : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (Buffer.byteLength(value) > MAX_TEXT_BYTES) return `The text takes ${MAX_TEXT_BYTES} bytes at most`;
  return /^!?\/.+\/$/s.test(value) ? 'Regular expressions are not supported' : undefined;
}

const saysNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === '';

function wordCriteria(key: string, value: unknown): Criteria {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const words = new Set(foldText(String(value)).trim().split(/\s+/));
  return [...words].map((text) => ({ type: 'contains', key, text }));
}

/** None at all when nothing but the list's None was asked for. */
function anyOf(key: string, values: readonly (number | string)[] | undefined): Criteria {
  if (values === undefined) return undefined;
  return values.length === 0 ? [] : [{ type: 'any-of', key, values }];
}

/** Lists bound to groups hold them by number, clients also know them as `<project>_<number>`. */
const groupPrefix = ({ bind }: Field, { view }: CompiledTracker): string | undefined =>
  bind === 'user_groups' ? `${view.projectId}_` : undefined;
