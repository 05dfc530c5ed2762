/** The same filters read twice: as criteria on index entries, and straight from the artifacts' values. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type ArtifactDocument, artifactEntries } from '../../../src/artifacts/artifact-view.js';
import { type FieldValues, type OpenListValue } from '../../../src/trackers/field-types/field-value.js';
import { artifactFilter } from '../../../src/artifacts/filter/filter.js';
import { visibleArtifacts } from '../../../src/artifacts/filter/visibility.js';
import { recounted, type TrackerCounts } from '../../../src/artifacts/tracker-count-view.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { matches } from '../../stores/contracts/read-models-fixture.js';
import {
  artifactOf,
  definitionsOf,
  fieldOf,
  groupOf,
  projectOf,
  trackerOf,
  userOf,
} from '../../support/definitions.js';

const reader = userOf(115);
const project = projectOf({ groups: [groupOf(105, { members: [115] }), groupOf(106)] });
const tracker = trackerOf([
  fieldOf(501, 'string', { name: 'title' }),
  fieldOf(502, 'text', { name: 'description' }),
  fieldOf(503, 'int', { name: 'points' }),
  fieldOf(504, 'msb', { name: 'status' }),
  fieldOf(505, 'tbl', { name: 'tags' }),
  fieldOf(506, 'date', { name: 'due' }),
  fieldOf(507, 'aid', { name: 'id' }),
  fieldOf(508, 'subby', { name: 'author' }),
  fieldOf(509, 'lud', { name: 'changed' }),
  fieldOf(510, 'perm', { name: 'who' }),
]);
const TYPES = { id: tracker.id, types: { 510: 'perm' } } as const;
const definitions = definitionsOf({ users: [reader], projects: [project], trackers: [tracker] });
const reading = { definitions, viewer: viewer(definitions, reader) };

interface Values {
  readonly title?: string;
  readonly description?: string;
  readonly points?: number;
  readonly status?: readonly number[];
  readonly tags?: readonly OpenListValue[];
  readonly due?: string;
  readonly who?: readonly number[];
}

interface Sample {
  readonly artifact: ArtifactDocument;
  readonly values: Values;
}

const text = fc
  .array(fc.constantFrom('a', 'B', 'é', '%', ' ', '_'), { maxLength: 5 })
  .map((letters) => letters.join(''));
const number = fc.integer({ min: -3, max: 3 });
const instant = fc.constantFrom(
  '2024-03-04T23:59:59Z',
  '2024-03-05T00:00:00Z',
  '2024-03-05T12:00:00Z',
  '2024-03-06T00:00:00Z',
);
const someOf = <T>(...items: readonly T[]) => fc.subarray([...items]);
const tags: readonly OpenListValue[] = [{ bound: 201 }, { bound: 202 }, { open: 1, label: 'x' }];

const sample: fc.Arbitrary<Sample> = fc
  .record({
    id: fc.integer({ min: 1, max: 4 }),
    trackerId: fc.constantFrom(101, 102),
    author: fc.constantFrom(null, 115, 116),
    changed: instant,
    values: fc.record(
      {
        title: text,
        description: text,
        points: number,
        status: someOf(301, 302, 303),
        tags: someOf(...tags),
        due: instant,
        who: someOf(105, 106, 2),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ id, trackerId, author, changed, values }) => ({
    values,
    artifact: artifactOf(id, {
      trackerId,
      submittedBy: author,
      lastUpdateOn: changed,
      values: trackerId === tracker.id ? stored(values) : {},
      limitedBy: trackerId === tracker.id && (values.who ?? []).length > 0 ? [510] : [],
    }),
  }));

function stored({ title, description, points, status, tags: tagged, due, who }: Values): FieldValues {
  return {
    501: title ?? null,
    502: description === undefined ? null : { text: description, format: 'text' },
    503: points ?? null,
    504: status ?? null,
    505: tagged ?? null,
    506: due === undefined ? null : { date: due },
    510: who ?? null,
  };
}

/** A member of a filter, and what it is meant to say of an artifact. */
interface Meaning {
  readonly member: readonly [string, unknown];
  readonly holds: (sample: Sample) => boolean;
}

const words = fc.tuple(fc.constantFrom('title', 'description'), text).map(([name, value]): Meaning => ({
  member: [name, value],
  holds: ({ values }) =>
    value
      .split(' ')
      .every((word) => word === '' || (values[name as 'title']?.toLowerCase().includes(word.toLowerCase()) ?? false)),
}));

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

const compared = fc
  .tuple(fc.constantFrom('points', 'id'), fc.constantFrom(...Object.keys(comparisons)), number)
  .map(([name, operator, bound]): Meaning => ({
    member: [name, { operator: 'contains', value: `${operator}${bound}` }],
    holds: ({ artifact, values }) => {
      const value = name === 'id' ? artifact.id : values.points;
      return value !== undefined && comparisons[operator]!(value, bound);
    },
  }));

const between = fc.tuple(number, number).map(([from, to]): Meaning => ({
  member: ['503', `${from} - ${to}`],
  holds: ({ values: { points } }) => points !== undefined && points >= from && points <= to,
}));

const chosen = someOf(301, 302, 999, 100).map((ids): Meaning => ({
  member: ['status', ids.map(String)],
  holds: ({ values }) => {
    const wanted = ids.filter((id) => id !== 100);
    return wanted.length === 0 || wanted.some((id) => values.status?.includes(id));
  },
}));

const tagged = someOf<string | number>(201, 'b202', 'o1', 'o2').map((ids): Meaning => ({
  member: ['tags', ids],
  holds: ({ values }) => {
    const held = values.tags?.map((tag) => ('bound' in tag ? [tag.bound, `b${tag.bound}`] : [`o${tag.open}`])).flat();
    return ids.length === 0 || ids.some((id) => held?.includes(id));
  },
}));

const author = fc
  .constantFrom(115, 116, 117)
  .map((id): Meaning => ({ member: ['author', id], holds: ({ artifact }) => artifact.submittedBy === id }));

/** As far as the date goes that is asked for: a day without a time. */
const like = (value: string, asked: string): string => value.slice(0, asked.length);
const asked = fc.oneof(
  instant,
  instant.map((date) => date.slice(0, 10)),
);

const dated = fc
  .tuple(fc.constantFrom('due', 'changed'), fc.constantFrom('=', '<', '>', 'between'), asked, asked)
  .map(([name, operator, date, last]): Meaning => ({
    member: [name, { operator, value: operator === 'between' ? [date, last] : date }],
    holds: ({ artifact, values }) => {
      const value = name === 'due' ? values.due : artifact.lastUpdateOn;
      if (value === undefined) return false;
      if (operator === '=') return like(value, date) === date;
      if (operator === '<') return like(value, date) < date;
      if (operator === '>') return like(value, date) > date;
      return like(value, date) >= date && like(value, last) <= last;
    },
  }));

const meanings = fc.uniqueArray(fc.oneof(words, compared, between, chosen, tagged, author, dated), {
  maxLength: 3,
  selector: ({ member }) => member[0],
});

describe('the criteria of a filter', () => {
  it('find what the filter says, of the tracker and open to the reader', () => {
    fc.assert(
      fc.property(meanings, fc.array(sample, { maxLength: 12 }), (asked, samples) => {
        const filter: unknown = JSON.parse(JSON.stringify(Object.fromEntries(asked.map(({ member }) => member))));
        const criteria = artifactFilter(tracker, reading, filter);
        const query = visibleArtifacts(criteria, tracker, project, reading.viewer);
        const counts = samples
          .filter(({ artifact }) => artifact.trackerId === tracker.id)
          .reduce<TrackerCounts | null>((known, { artifact }) => recounted(known, TYPES, null, artifact), null);
        const taken = query.given.take(counts);
        const all = [...query.where, ...taken.where];

        const found = samples.filter(({ artifact }) =>
          all.every((criterion) => matches(artifactEntries(artifact), criterion)),
        );

        const meant = samples.filter(
          (one) =>
            one.artifact.trackerId === tracker.id &&
            asked.every(({ holds }) => holds(one)) &&
            reading.viewer.canSeeArtifact(one.artifact),
        );
        expect(found).to.deep.equal(meant);
        expect(taken.total).to.be.oneOf([undefined, meant.length]);
      }),
      { numRuns: 500 },
    );
  });
});
