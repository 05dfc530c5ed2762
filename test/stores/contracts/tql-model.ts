/** What TQL means, told over plain artifacts: a second opinion, slow and plain. */
import fc from 'fast-check';
import { type ArtifactDocument } from '../../../src/artifacts/artifact-view.js';
import { REGISTERED_USERS } from '../../../src/projects/project-events.js';
import {
  DAYS,
  FILES,
  FLOATS,
  INSTANTS,
  INTS,
  type KnownArtifact,
  linksOf,
  MAX_ID,
  meg,
  one,
  pam,
  TESTERS,
  text,
  type World,
} from './tql-world.js';

/** Of a query or of a part of it. */
export interface Meaning {
  readonly text: string;
  readonly kind: 'term' | 'and' | 'or';
  readonly terms: number;
  readonly namesSecret: boolean;
  readonly holds: (artifact: KnownArtifact, world: World) => boolean;
}

const term = (written: string, holds: Meaning['holds']): Meaning => ({
  text: written,
  kind: 'term',
  terms: 1,
  namesSecret: written.startsWith('secret'),
  holds,
});

const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
const fold = (value: string): string => value.toLowerCase();

const ofText = fc
  .tuple(one(['title', '501'], ['DETAILS', '502']), one('=', '!='), fc.oneof(text, one('')))
  .map(([[name, id], operator, asked]): Meaning =>
    term(`${name!}${operator}${quoted(asked)}`, ({ values }) => {
      const value = values[id!] as string | { readonly text: string } | null | undefined;
      const held = typeof value === 'string' ? value : (value?.text ?? '');
      const found = asked === '' ? held === '' : fold(held).includes(fold(asked));
      return found === (operator === '=');
    }),
  );

/** Texts that stand apart from the artifact. */
function searched(
  name: string,
  heldBy: (artifact: KnownArtifact) => readonly unknown[],
  has: (artifact: KnownArtifact, asked: string) => boolean,
): fc.Arbitrary<Meaning> {
  return fc.tuple(one('=', '!='), fc.oneof(text, one(''))).map(([operator, asked]) =>
    term(`${name} ${operator} ${quoted(asked)}`, (each) => {
      const found = asked === '' ? heldBy(each).length === 0 : has(each, asked);
      return found === (operator === '=');
    }),
  );
}

const wordsOf = (written: string): readonly string[] => fold(written).match(/[abé]+/g) ?? [];

const ofComments = searched(
  '@Comments',
  ({ comments }) => comments,
  ({ comments }, asked) => {
    const phrase = wordsOf(asked);
    const stands = (words: readonly string[], start: number) => phrase.every((word, n) => words[start + n] === word);
    return phrase.length > 0 && comments.map(wordsOf).some((words) => words.some((_, start) => stands(words, start)));
  },
);

const filesOf = ({ values }: ArtifactDocument): readonly unknown[] => (values['517'] ?? []) as readonly unknown[];

const ofFiles = searched('files', filesOf, (artifact, asked) =>
  FILES.filter(({ id }) => filesOf(artifact).includes(id))
    .flatMap(({ name, description }) => [name, description])
    .some((held) => fold(held).includes(fold(asked))),
);

type Value = number | string;
const COMPARED: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** `like`: what of the value counts, for what is asked. */
function ordered(
  name: string,
  asked: fc.Arbitrary<{ readonly written: string; readonly value: Value }>,
  heldBy: (artifact: ArtifactDocument) => Value | undefined,
  like: (held: Value, asked: Value) => Value = (held) => held,
): fc.Arbitrary<Meaning> {
  const compared = fc.tuple(one('!=', ...Object.keys(COMPARED)), asked).map(([operator, { written, value }]) =>
    term(`${name} ${operator} ${written}`, (each) => {
      const held = heldBy(each);
      if (operator === '!=') return held === undefined || like(held, value) !== value;
      return held !== undefined && COMPARED[operator]!(like(held, value), value);
    }),
  );
  const between = fc.tuple(asked, asked).map(([from, to]) =>
    term(`${name} BETWEEN(${from.written}, ${to.written})`, (each) => {
      const held = heldBy(each);
      return held !== undefined && like(held, from.value) >= from.value && like(held, to.value) <= to.value;
    }),
  );
  const empty = one('=', '!=').map((operator) =>
    term(`${name} ${operator} ''`, (each) => (heldBy(each) === undefined) === (operator === '=')),
  );
  return fc.oneof({ weight: 4, arbitrary: compared }, between, empty);
}

const inField =
  (id: string) =>
  ({ values }: ArtifactDocument): number | undefined =>
    (values[id] ?? undefined) as number | undefined;
const numbers = (pool: readonly number[]) =>
  one(...pool).chain((value) =>
    one(...(value < 0 ? [`"${value}"`] : [`${value}`, `" ${value}"`])).map((written) => ({ written, value })),
  );
const dateIn =
  (id: string) =>
  ({ values }: ArtifactDocument): string | undefined =>
    (values[id] as { readonly date: string } | null | undefined)?.date;

const days = one(
  ...DAYS.map((day) => ({ written: `"${day}"`, value: day })),
  { written: '"2024-2-31"', value: '2024-03-02' },
  { written: '"2024-3-5"', value: '2024-03-05' },
);
const daysOfNow = one({ written: 'NOW()', value: '2024-03-05' }, { written: 'now() - 1d', value: '2024-03-04' });
const minutes = one(
  ...INSTANTS.map((instant) => ({
    written: `"${instant.slice(0, 16).replace('T', ' ')}"`,
    value: instant.slice(0, 16),
  })),
  { written: 'NOW()', value: '2024-03-05T12:30' },
  { written: 'NOW() + 1w', value: '2024-03-12T12:30' },
);
/** As far as the date goes that is asked for. */
const asFarAs = (held: Value, asked: Value): Value => String(held).slice(0, String(asked).length);

function listed(
  name: string,
  known: readonly string[],
  heldBy: (artifact: ArtifactDocument) => readonly string[],
): fc.Arbitrary<Meaning> {
  const label = one(...known);
  const single = fc.tuple(one('=', '!='), label).map(([operator, asked]) =>
    term(`${name} ${operator} ${quoted(asked)}`, (each) => {
      const found = heldBy(each).some((held) => fold(held) === fold(asked));
      return found === (operator === '=');
    }),
  );
  const several = fc
    .tuple(one('IN', 'not in'), fc.array(label, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([operator, asked, comma]) =>
      term(`${name} ${operator}(${asked.map(quoted).join(', ')}${comma ? ',' : ''})`, (each) => {
        const found = heldBy(each).some((held) => asked.some((wanted) => fold(wanted) === fold(held)));
        return found === (operator === 'IN');
      }),
    );
  return fc.oneof(single, several);
}

const emptyList = (name: string, id: string) =>
  one('=', '!=').map((operator) =>
    term(
      `${name} ${operator} ""`,
      ({ values }) => (((values[id] ?? []) as readonly number[]).length === 0) === (operator === '='),
    ),
  );
const NAMES: Readonly<Record<number, string>> = {
  301: 'New',
  302: 'Open',
  303: 'NEW',
  304: '5',
  [TESTERS]: 'testers',
  [REGISTERED_USERS]: 'registered_users',
  [pam.id]: 'pam',
  [meg.id]: 'meg',
};
const namesIn =
  (id: string) =>
  ({ values }: ArtifactDocument): readonly string[] =>
    ((values[id] ?? []) as readonly number[]).map((each) => NAMES[each]!);

const KIN = ['PARENT', 'CHILD', 'children'];
const end = fc.oneof(
  fc.constant({ text: '', isMeant: () => true, differs: false }),
  fc.integer({ min: 1, max: MAX_ID + 1 }).map((id) => ({
    text: ` ARTIFACT = ${id}`,
    isMeant: (other: ArtifactDocument) => other.id === id,
    differs: false,
  })),
  fc.tuple(one('bug', 'task', 'hidden', 'unknown'), fc.boolean()).map(([name, differs]) => ({
    text: ` TRACKER ${differs ? '!=' : '='} "${name}"`,
    isMeant: ({ trackerId }: ArtifactDocument) =>
      (({ 101: 'bug', 102: 'task', 103: 'hidden', 104: 'bug' })[trackerId] !== name) === differs,
    differs,
  })),
);
const family = fc.tuple(fc.boolean(), one(...KIN)).map(([not, kin]) => ({
  not,
  direction: kin === 'PARENT' ? 'from' : 'to',
  type: '_is_child',
  before: `${not ? 'WITHOUT' : 'with'} ${kin}`,
  after: '',
}));
const linked = fc
  .tuple(fc.boolean(), one('from', 'to'), one(undefined, '_is_child', 'fixes'))
  .map(([not, direction, type]) => ({
    not,
    direction,
    type,
    before: `IS ${not ? 'not ' : ''}LINKED ${direction}`,
    after: type === undefined ? '' : ` WITH TYPE "${type}"`,
  }));
const relation = fc
  .tuple(fc.oneof(family, linked), end)
  .filter(([{ not }, { differs }]) => !not || !differs)
  .map(([{ not, direction, type, before, after }, other]) =>
    term(`${before}${other.text}${after}`, (each, world) => {
      const all = world.artifacts.flatMap((source) => linksOf(source, world));
      const found = all
        .filter((link) => type === undefined || link.type === type)
        .some(({ source, target }) =>
          direction === 'to'
            ? source.id === each.id && other.isMeant(target)
            : target.id === each.id && other.isMeant(source),
        );
      return found !== not;
    }),
  );

const terms = fc.oneof(
  ofText,
  ordered('points', numbers([...INTS, 0.5]), inField('503')),
  ordered('size', numbers(FLOATS), inField('504')),
  ordered('secret', numbers(INTS), inField('512')),
  ordered('due', fc.oneof(days, daysOfNow), dateIn('505'), asFarAs),
  ordered('met', fc.oneof(days, minutes), dateIn('506'), asFarAs),
  ordered('changed', fc.oneof(days, minutes), ({ lastUpdateOn }) => lastUpdateOn, asFarAs),
  listed('status', ['new', 'NEW', 'Open', '5'], namesIn('507')),
  emptyList('status', '507'),
  listed('team', ['testers', 'registered_users'], namesIn('508')),
  emptyList('team', '508'),
  listed('owner', ['pam', 'meg', 'max'], namesIn('509')),
  listed('author', ['pam', 'meg', 'max'], ({ submittedBy }) => [NAMES[submittedBy ?? 0] ?? '']),
  ofComments,
  ofFiles,
  { weight: 4, arbitrary: relation },
);

const joined = (kind: 'and' | 'or', parts: readonly Meaning[], space: string): Meaning => ({
  kind,
  text: parts
    .map((part) => (kind === 'and' && part.kind === 'or' ? `(${part.text})` : part.text))
    .join(`${space}${kind}${space}`),
  terms: parts.reduce((sum, part) => sum + part.terms, 0),
  namesSecret: parts.some(({ namesSecret }) => namesSecret),
  holds: (each, world) =>
    kind === 'and' ? parts.every((part) => part.holds(each, world)) : parts.some((part) => part.holds(each, world)),
});

export const { query } = fc.letrec<{ query: Meaning }>((tie) => {
  const parts = fc.array(tie('query'), { minLength: 2, maxLength: 3 });
  return {
    query: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      terms,
      fc.tuple(parts, one(' ', '\n')).map(([all, space]) => joined('and', all, space)),
      fc.tuple(parts, one(' ', '\t')).map(([all, space]) => joined('or', all, space)),
      tie('query').map((inner) => ({ ...inner, kind: 'term' as const, text: `( ${inner.text} )` })),
    ),
  };
});
