import { expect } from 'chai';
import { artifactDecider, takesLink, type ArtifactCommand } from '../../../src/artifacts/artifact.js';
import { type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { type FieldValue, type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { fold } from '../../../src/core/decider.js';
import { Problem } from '../../../src/core/problem.js';
import { fieldOf, trackerOf, TRACKER_ID } from '../../support/definitions.js';
import { specify } from '../../support/specify.js';

const { given } = specify(artifactDecider);

const TEXTS = Array.from({ length: 40 }, (_, index) => 100 + index);
const tracker = trackerOf([
  fieldOf(1, 'string', { label: 'Title' }),
  fieldOf(2, 'text', { label: 'Details' }),
  fieldOf(3, 'msb', { label: 'Platforms' }),
  fieldOf(4, 'art_link'),
  fieldOf(5, 'art_link'),
  fieldOf(6, 'tbl', { label: 'Tags' }),
  fieldOf(7, 'file', { label: 'Files' }),
  fieldOf(8, 'perm', { label: 'Readers' }),
  ...TEXTS.map((id) => fieldOf(id, 'text')),
]);

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => 201 + index);
const links = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ id: from + index, type: '' }));
const labels = (count: number) => numbers(count).map((open) => ({ open, label: `label ${open}` }));
const text = (bytes: number): FieldValue => ({ text: 'x'.repeat(bytes), format: 'text' });

const submitted = (values: FieldValues): ArtifactEvent => ({
  type: 'ArtifactSubmitted',
  data: { artifactId: 7, trackerId: TRACKER_ID, values },
});
const changed = (values: FieldValues): ArtifactEvent => ({
  type: 'ArtifactValuesChanged',
  data: { artifactId: 7, trackerId: TRACKER_ID, values },
});
const submit = (values: FieldValues): ArtifactCommand => ({ type: 'SubmitArtifact', artifactId: 7, tracker, values });
const change = (values: FieldValues): ArtifactCommand => ({ type: 'ChangeArtifactValues', tracker, values });

function problemOf(command: ArtifactCommand, ...past: readonly ArtifactEvent[]): Problem {
  try {
    artifactDecider.decide(command, fold(artifactDecider, past));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

interface Bound {
  readonly what: string;
  readonly field: string;
  readonly most: number;
  readonly label: string;
  readonly value: (size: number) => FieldValue;
}

const BOUNDS: readonly Bound[] = [
  { what: 'a string', field: '1', most: 65_535, label: 'Title', value: (size) => 'x'.repeat(size) },
  {
    what: 'a string of characters of two bytes',
    field: '1',
    most: 65_535,
    label: 'Title',
    value: (size) => `${'é'.repeat(Math.floor(size / 2))}${'x'.repeat(size % 2)}`,
  },
  { what: 'a text', field: '2', most: 65_535, label: 'Details', value: text },
  { what: 'a selection', field: '3', most: 1000, label: 'Platforms', value: numbers },
  { what: 'an open list', field: '6', most: 1000, label: 'Tags', value: labels },
  { what: 'a file field', field: '7', most: 1000, label: 'Files', value: numbers },
  { what: 'a permission field', field: '8', most: 1000, label: 'Readers', value: numbers },
  { what: 'a link field', field: '4', most: 1000, label: '', value: links },
];

describe('the bounds of values', () => {
  for (const { what, field, most, label, value } of BOUNDS) {
    const of = (size: number): FieldValues => ({ [field]: value(size) });

    it(`let ${what} have ${most} and not one more, in a new artifact and in a change`, () => {
      given()
        .when(submit(of(most)))
        .then(submitted(of(most)));
      given(submitted({}))
        .when(change(of(most)))
        .then(changed(of(most)));
      for (const problem of [problemOf(submit(of(most + 1))), problemOf(change(of(most + 1)), submitted({}))]) {
        expect(problem.kind).to.equal('invalid');
        expect(problem.message).to.include(String(most)).and.include(label);
      }
    });

    it(`let ${what} that is larger in an older log shrink and stay, and not grow`, () => {
      const past = submitted({ ...of(most + 500), '100': text(3) });
      given(past)
        .when(change(of(most + 499)))
        .then(changed(of(most + 499)));
      given(past)
        .when(change(of(most + 500)))
        .thenNothing();
      given(past)
        .when(change({ '100': text(4) }))
        .then(changed({ '100': text(4) }));
      expect(problemOf(change(of(most + 501)), past).kind).to.equal('invalid');
    });
  }

  it('let a new artifact hold a default that is larger in an older log, also of a field that is out of reach', () => {
    const [long, many] = [text(80_000), numbers(1500)];
    const defining = trackerOf([
      fieldOf(1, 'string', { label: 'Title' }),
      fieldOf(9, 'fieldset', { fields: [fieldOf(2, 'text', { label: 'Details', default: long })] }),
      fieldOf(3, 'msb', { default: many }),
    ]);
    const submission = (values: FieldValues, to = defining) => ({ ...submit(values), tracker: to }) as ArtifactCommand;
    const values = { '1': 'x', '2': long, '3': many };
    given().when(submission(values)).then(submitted(values));
    const isTitle = ({ id }: { readonly id: number }) => (id === 1 ? 'whole' : 'nothing');
    given()
      .when(submission(values, defining.restricted(isTitle)))
      .then(submitted(values));
    expect(problemOf(submission({ '2': text(80_001) })).message).to.include('Details');
    expect(problemOf(submission({ '1': 'x'.repeat(70_000), '2': long })).message).to.include('Title');
  });

  it('count the links of all fields together', () => {
    const past = submitted({ '4': links(999) });
    given(past)
      .when(change({ '5': links(1, 5000) }))
      .then(changed({ '5': links(1, 5000) }));
    expect(problemOf(change({ '5': links(2, 5000) }), past).message).to.include('1000 links');
    given(past)
      .when(change({ '4': links(1), '5': links(2, 5000) }))
      .then(changed({ '4': links(1), '5': links(2, 5000) }));
  });

  it('hold no link back that was promised at its other end, and tell before that whether there is room', () => {
    const link = (target: number, linkType: string | null): ArtifactCommand => ({
      type: 'SetLink',
      fieldIds: [4],
      target,
      linkType,
    });
    const full = submitted({ '4': links(400), '999': links(600, 5000) });
    given(full)
      .when(link(9000, '_is_child'))
      .then(changed({ '4': [...links(400), { id: 9000, type: '_is_child' }] }));
    const takes = (target: number, linkType: string | null, ...past: readonly ArtifactEvent[]): boolean =>
      takesLink({ fieldIds: [4], target, linkType }, fold(artifactDecider, past)!);
    expect(takes(9000, '_is_child', full)).to.equal(false);
    expect(takes(400, '_is_child', full)).to.equal(true);
    expect(takes(400, null, submitted({ '4': links(1500) }))).to.equal(true);
    expect(takes(9000, '', submitted(Object.fromEntries(TEXTS.map((id) => [String(id), text(65_000)]))))).to.equal(
      false,
    );
    expect(takes(400, null, submitted({ '4': links(100_000) }))).to.equal(false);
    given(submitted({ '4': links(1000) }))
      .when(link(1000, '_is_child'))
      .then(changed({ '4': [...links(999), { id: 1000, type: '_is_child' }] }));
    given(submitted({ '4': links(1500) }))
      .when(link(1500, null))
      .then(changed({ '4': links(1499) }));
  });

  it('tell of a link before it is promised whether it fits an artifact to the byte, and keep it from an event that is too large', () => {
    const link = { type: 'SetLink', fieldIds: [4], target: 1, linkType: '_is_child' } as const;
    const withLink = (...type: readonly string[]): FieldValues => ({ '4': type.map((one) => ({ id: 1, type: one })) });
    const text65 = Object.fromEntries(TEXTS.slice(0, 32).map((id) => [String(id), text(65_000)]));
    const room = 2_097_152 - Buffer.byteLength(JSON.stringify({ ...text65, ...withLink('_is_child'), '139': text(0) }));
    const takes = (bytes: number): boolean =>
      takesLink(link, fold(artifactDecider, [submitted({ ...text65, '139': text(bytes) })])!);
    expect([takes(room), takes(room + 1)]).to.deep.equal([true, false]);
    given(submitted({ ...text65, '139': text(room + 1) }))
      .when(link)
      .then(changed(withLink('_is_child')));
    given(submitted({ '4': links(50_000) }))
      .when(link)
      .thenNothing();
  });

  it('let all values of an artifact take 2 MiB as JSON, and refuse one byte more as too large', () => {
    const most = 2_097_152;
    const many = Object.fromEntries(TEXTS.slice(0, 31).map((id) => [String(id), text(65_000)]));
    const room = most - Buffer.byteLength(JSON.stringify({ ...many, '138': text(0), '139': text(65_000) }));
    given(submitted(many), changed({ '139': text(65_000) }))
      .when(change({ '138': text(room) }))
      .then(changed({ '138': text(room) }));
    const past = [submitted(many), changed({ '139': text(65_000) })];
    const problem = problemOf(change({ '138': text(room + 1) }), ...past);
    expect(problem.kind).to.equal('too-large');
    expect(problem.message).to.include(String(most));
    expect(problemOf(submit({ ...many, '138': text(65_000), '139': text(65_000) })).kind).to.equal('too-large');
  });

  it('let an artifact of more than 2 MiB in an older log shrink, whichever value gets smaller', () => {
    const past = submitted(Object.fromEntries(TEXTS.map((id) => [String(id), text(65_000)])));
    given(past)
      .when(change({ '100': text(64_000), '101': text(65_535) }))
      .then(changed({ '100': text(64_000), '101': text(65_535) }));
    expect(problemOf(change({ '1': 'x' }), past).kind).to.equal('too-large');
  });

  it('let a comment have 65535 bytes and not one more', () => {
    const comment = (bytes: number): ArtifactCommand => ({
      type: 'ChangeArtifactValues',
      tracker,
      values: {},
      comment: { text: 'é'.repeat(bytes / 2), format: 'text' },
    });
    expect(artifactDecider.decide(comment(65_534), fold(artifactDecider, [submitted({})]))).to.have.length(1);
    expect(problemOf(comment(65_536), submitted({})).details?.map(({ pointer }) => pointer)).to.deep.equal([
      '/comment/body',
    ]);
  });
});
