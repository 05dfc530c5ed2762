/** What a JSON filter means, told over plain artifacts: a second opinion, slow and plain. */
import fc from 'fast-check';
import { type ArtifactDocument } from '../../../src/artifacts/artifact-view.js';
import { REGISTERED_USERS } from '../../../src/projects/project-events.js';
import { type FieldValue, type OpenListValue } from '../../../src/trackers/field-types/field-value.js';
import { DAYS, FLOATS, INSTANTS, INTS, meg, one, pam, TESTERS, text } from './tql-world.js';

/** Of one member of a filter. */
export interface Member {
  readonly name: string;
  readonly json: unknown;
  readonly holds: (artifact: ArtifactDocument) => boolean;
}

type Held<T> = (artifact: ArtifactDocument) => T | undefined;

/** By `field`, what an artifact holds there. */
const inField =
  <T extends FieldValue>(field: number): Held<T> =>
  ({ values }) =>
    (values[String(field)] ?? undefined) as T | undefined;

const fold = (value: string): string => value.toLowerCase();
const sayNothing = () => true;

function emptiness(name: string, held: Held<unknown>): fc.Arbitrary<Member> {
  const isEmpty = (artifact: ArtifactDocument): boolean => [held(artifact) ?? []].flat().length === 0;
  return fc.boolean().map((value) => ({
    name,
    json: { operator: 'empty', value },
    holds: (artifact) => isEmpty(artifact) === value,
  }));
}

/** In the short form, in the long one, and negated. */
function equal(name: string, value: unknown, contains: Member['holds'], is = contains): fc.Arbitrary<Member> {
  return one<Member>(
    { name, json: value, holds: contains },
    { name, json: { operator: 'contains', value }, holds: contains },
    { name, json: { operator: '=', value }, holds: is },
    { name, json: { operator: '!=', value }, holds: is === sayNothing ? is : (artifact) => !is(artifact) },
  );
}

function texts(name: string, held: Held<string>): fc.Arbitrary<Member> {
  const asked = fc.oneof(text, one('a a', ' B b')).chain((value) => {
    if (value.trim() === '') return equal(name, value, sayNothing);
    const has = (part: string) => (artifact: ArtifactDocument) => fold(held(artifact) ?? '').includes(fold(part));
    const words = value.trim().split(' ').filter(Boolean);
    return equal(name, value, (artifact) => words.every((word) => has(word)(artifact)), has(value));
  });
  return fc.oneof({ weight: 3, arbitrary: asked }, emptiness(name, held));
}

type Value = number | string;
const COMPARED: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** `like`: what of the value counts, for what is asked. */
function ordered(
  name: string,
  asked: fc.Arbitrary<Value>,
  held: Held<Value>,
  like: (value: Value, asked: Value) => Value = (value) => value,
): fc.Arbitrary<Member> {
  const where = (rule: (value: Value) => boolean) => (artifact: ArtifactDocument) => {
    const value = held(artifact);
    return value !== undefined && rule(value);
  };
  const same = asked.chain((value) =>
    equal(
      name,
      value,
      where((each) => like(each, value) === value),
    ),
  );
  const compared = fc.tuple(one(...Object.keys(COMPARED)), asked).chain(([operator, value]) => {
    const holds = where((each) => COMPARED[operator]!(like(each, value), value));
    return one<Member>({ name, json: { operator, value }, holds }, { name, json: `${operator} ${value}`, holds });
  });
  const between = fc.tuple(asked, asked).chain(([from, to]) => {
    const holds = where((each) => like(each, from) >= from && like(each, to) <= to);
    return one<Member>(
      { name, json: { operator: 'between', value: [from, to] }, holds },
      { name, json: `${from} - ${to}`, holds },
    );
  });
  return fc.oneof(same, compared, between, emptiness(name, held));
}

const days = one(...DAYS, ...INSTANTS);
const asFarAs = (value: Value, asked: Value): Value => String(value).slice(0, String(asked).length);
const dateIn =
  (field: number): Held<string> =>
  (artifact) => {
    const date = inField<{ readonly date: string }>(field)(artifact)?.date;
    return date?.length === 10 ? `${date}T00:00:00Z` : date;
  };

const NONE = 100;

/** `spelled`: all that a value may be called. */
function listed<T>(
  name: string,
  known: readonly Value[],
  held: Held<readonly T[]>,
  spelled: (value: T) => readonly Value[],
): fc.Arbitrary<Member> {
  const asked = fc.subarray([...known, NONE, 999]).chain((values) => {
    const wanted = values.filter((value) => value !== NONE);
    const found = (artifact: ArtifactDocument) =>
      (held(artifact) ?? []).some((value) => spelled(value).some((each) => wanted.includes(each)));
    return equal(name, values, wanted.length === 0 ? sayNothing : found);
  });
  return fc.oneof({ weight: 3, arbitrary: asked }, emptiness(name, held));
}

const ids = (name: string, known: readonly number[], held: Held<readonly number[]>) =>
  listed(name, known, held, (id) => [id]);

const member = fc.oneof(
  texts('title', inField(501)),
  texts('502', (artifact) => inField<{ readonly text: string; readonly format: 'text' }>(502)(artifact)?.text),
  ordered('points', one(...INTS, 0.5), inField<number>(503)),
  ordered('size', one(...FLOATS), inField<number>(504)),
  ordered('secret', one(...INTS), inField<number>(512)),
  ordered('due', days, dateIn(505), asFarAs),
  ordered('met', days, dateIn(506), asFarAs),
  ordered('changed', days, ({ lastUpdateOn }) => lastUpdateOn, asFarAs),
  ids('status', [301, 302, 303, 304], inField<readonly number[]>(507)),
  ids('team', [TESTERS, REGISTERED_USERS], inField<readonly number[]>(508)),
  ids('assigned_to', [pam.id, meg.id], inField<readonly number[]>(509)),
  ids('author', [pam.id, meg.id], ({ submittedBy }) => (submittedBy === null ? [] : [submittedBy])),
  listed('tags', [401, 'b401', 'o1', 'urgent', 'own', 'Own'], inField<readonly OpenListValue[]>(516), (item) =>
    'bound' in item ? [item.bound, `b${item.bound}`, 'urgent'] : [`o${item.open}`, item.label],
  ),
);

export const filter = fc.uniqueArray(member, { minLength: 1, maxLength: 3, selector: ({ name }) => name });
