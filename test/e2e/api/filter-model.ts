/** What a filter means, told from the specification over representations: a second opinion, slow and plain. */
import fc from 'fast-check';
import { type ArtifactJson, type FieldValueJson } from './shapes.js';

/** A criterion as clients write it, and which values of its field it leaves. */
export interface Criterion {
  readonly field: string;
  readonly json: unknown;
  /** Not asked when the field holds nothing: no criterion leaves that. */
  readonly leaves: (value: FieldValueJson) => boolean;
}

/** Ids that lists can be asked for, by field name. */
export type Known = Readonly<Record<string, readonly (number | string)[]>>;

const WORDS = ['crash', 'CRASH', 'Über', 'über', 'u\u0308ber', 'straße', '日本', '%', '_', 'a%b', '\\', 'x', '🚀', 'É'];
const INTS = [-10, -3, -1, 0, 1, 2, 5, 10];
const FLOATS = [-0.5, 0, 0.1, 0.3, 0.1 + 0.2, 2, 1e21];
const DAYS = ['2024-02-28', '2024-02-29', '2024-03-01', '2024-12-31', '2025-01-01'];
const INSTANTS = DAYS.flatMap((day) => [`${day}T00:00:00Z`, `${day}T11:30:00Z`, `${day}T23:59:00Z`]);
export const POOLS = { WORDS, INTS, FLOATS, DAYS, INSTANTS };

/** What open lists show: labels, user names and short names of groups, of those that the list offers. */
const LABELS = {
  tags: ['urgent', 'later', 'own', 'odd'],
  watchers: ['pam', 'tim', 'meg', 'sam'],
  crews: ['testers', 'project_admins'],
};

const DAY_MS = 86_400_000;
const one = <T>(items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
const fold = (text: string): string => text.normalize('NFC').toLowerCase();

function words(field: string): fc.Arbitrary<Criterion> {
  return fc
    .tuple(fc.array(one(WORDS), { minLength: 1, maxLength: 3 }), one([' ', '  ', '\t']))
    .map(([asked, space]) => ({
      field,
      json: asked.join(space),
      leaves: ({ value, commonmark }) => {
        const text = fold(commonmark ?? String(value));
        return asked.every((word) => text.includes(fold(word)));
      },
    }));
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function numbers(field: string, pool: readonly number[]): fc.Arbitrary<Criterion> {
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  const compared = fc
    .tuple(one(Object.keys(COMPARISONS)), one(pool), one(['', ' ']), fc.boolean(), fc.boolean())
    .map(([sign, bound, space, isLong, asText]) => {
      const short = sign === '' && space === '' ? bound : `${sign}${space}${bound}`;
      const value = asText ? String(bound) : bound;
      return {
        field,
        json: isLong ? { operator: sign === '' ? '=' : sign, value } : short,
        leaves: ({ value: held }: FieldValueJson) => isNumber(held) && COMPARISONS[sign]!(held, bound),
      };
    });
  const between = fc.tuple(one(pool), one(pool), one([' - ', '-', undefined])).map(([from, to, dash]) => ({
    field,
    json: dash === undefined ? { operator: 'between', value: [from, to] } : `${from}${dash}${to}`,
    leaves: ({ value }: FieldValueJson) => isNumber(value) && from <= value && value <= to,
  }));
  return fc.oneof(compared, between);
}

function dates(field: string): fc.Arbitrary<Criterion> {
  const date = one([...DAYS, ...INSTANTS, '2024-03-01T01:00:00+02:00', '2024-02-28 22:15']);
  const at = (text: string): number =>
    Date.parse(/[Z+]/.test(text) || text.length === 10 ? text : `${text.replace(' ', 'T')}Z`);
  // A date is a day, with whatever operator.
  const compared = (value: number, asked: string): number =>
    (asked.length === 10 ? Math.floor(value / DAY_MS) * DAY_MS : value) - at(asked);
  const rules: Readonly<Record<string, (value: number, asked: string) => boolean>> = {
    '=': (value, asked) => compared(value, asked) === 0,
    contains: (value, asked) => compared(value, asked) === 0,
    '<': (value, asked) => compared(value, asked) < 0,
    '<=': (value, asked) => compared(value, asked) <= 0,
    '>': (value, asked) => compared(value, asked) > 0,
    '>=': (value, asked) => compared(value, asked) >= 0,
  };
  const held = ({ value }: FieldValueJson): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);
  const single = fc.tuple(one(Object.keys(rules)), date, fc.boolean()).map(([operator, asked, inList]) => ({
    field,
    json: { operator, value: inList ? [asked] : asked },
    leaves: (value: FieldValueJson) => rules[operator]!(held(value), asked),
  }));
  const short = fc.tuple(one(['', '<', '<=', '>', '>=']), one(['', ' ']), date).map(([sign, space, asked]) => ({
    field,
    json: `${sign}${space}${asked}`,
    leaves: (value: FieldValueJson) => rules[sign || '=']!(held(value), asked),
  }));
  const between = fc.tuple(date, date, fc.boolean()).map(([from, to, isLong]) => ({
    field,
    json: isLong ? { operator: 'between', value: [from, to] } : `${from} - ${to}`,
    leaves: (value: FieldValueJson) => compared(held(value), from) >= 0 && compared(held(value), to) <= 0,
  }));
  return fc.oneof(single, short, between);
}

/** Of lists and users: each is known by several spellings of its id. */
function items(field: string, known: readonly (number | string)[], open: boolean): fc.Arbitrary<Criterion> {
  const spelled = fc
    .tuple(one([...known, 999_999]), fc.boolean())
    .map(([id, asText]) => ({ id, json: asText ? String(id) : id }));
  const asked = fc.oneof(
    fc.array(spelled, { minLength: 1, maxLength: 4 }),
    fc.array(spelled, { maxLength: 2 }).map((list) => [...list, { id: 100, json: 100 }]),
  );
  return fc.tuple(asked, fc.boolean()).map(([list, withOperator]) => {
    const ids = new Set(list.filter(({ id }) => id !== 100).map(({ id }) => String(id)));
    const value = list.length === 1 ? list[0]!.json : list.map(({ json }) => json);
    return {
      field,
      json: withOperator ? { operator: 'contains', value } : value,
      leaves: (held) => heldIds(held, open).some((id) => ids.has(id)),
      ...(ids.size === 0 && { leavesAll: true }),
    };
  });
}

/** Of open lists: labels as they are shown, ids among them. */
function labels(field: string, known: readonly string[], ids: readonly (number | string)[]): fc.Arbitrary<Criterion> {
  const asked = fc.array(one([...known, 'never added', ...ids]), { minLength: 1, maxLength: 3 });
  return fc.tuple(asked, fc.boolean()).map(([list, withOperator]) => {
    const value = list.length === 1 ? list[0]! : list;
    const wanted = new Set(list.map(String));
    return {
      field,
      json: withOperator ? { operator: 'contains', value } : value,
      leaves: (held) =>
        [...(held.bind_value_ids ?? []).map(String), ...heldIds(held, true)].some((id) => wanted.has(id)),
    };
  });
}

function heldIds({ value, bind_value_ids: ids = [], bind_value_objects: objects = [] }: FieldValueJson, open: boolean) {
  if (open) return objects.map(({ id }) => String(id));
  const user = typeof value === 'object' && value !== null && 'id' in value ? [String(value.id)] : [];
  return [...ids.map(String), ...user];
}

export function criterion(known: Known): fc.Arbitrary<Criterion> {
  const ofLists = Object.entries(known).map(([field, ids]) =>
    items(field, ids, ['tags', 'watchers', 'crews'].includes(field)),
  );
  return fc.oneof(
    ...['title', 'about', 'inside'].map(words),
    numbers('count', INTS),
    numbers('ratio', FLOATS),
    numbers('atid', [1, 20, 75, 149]),
    ...['due', 'meeting', 'submitted_on', 'updated_on'].map(dates),
    ...ofLists,
    ...Object.entries(LABELS).map(([field, shown]) => labels(field, shown, known[field] ?? [])),
  );
}

/** Nothing but None asked of a list: no criterion at all. */
const asksNothing = (each: Criterion): boolean => 'leavesAll' in each;

export interface Reader {
  readonly name: string | undefined;
  readonly isAdmin: boolean;
  /** Group ids as representations tell them. */
  readonly groups: readonly string[];
  readonly readable: ReadonlySet<string>;
}

/** `artifacts` as an administrator reads them, by id; `fieldIds` by name. */
export function expected(
  artifacts: readonly ArtifactJson[],
  fieldIds: ReadonlyMap<string, number>,
  filter: readonly Criterion[],
  reader: Reader,
): readonly number[] {
  const valueOf = ({ values }: ArtifactJson, field: string) =>
    values?.find((value) => value.field_id === fieldIds.get(field));
  const isVisible = (artifact: ArtifactJson): boolean => {
    const granted = valueOf(artifact, 'readers')?.granted_groups_ids ?? [];
    return reader.isAdmin || granted.length === 0 || granted.some((group) => reader.groups.includes(group));
  };
  const asked = filter.filter((each) => !asksNothing(each));
  const isLeft = (artifact: ArtifactJson): boolean =>
    asked.every((each) => {
      const value = valueOf(artifact, each.field);
      return value !== undefined && each.leaves(value);
    });
  return artifacts.filter((artifact) => isVisible(artifact) && isLeft(artifact)).map(({ id }) => id);
}
