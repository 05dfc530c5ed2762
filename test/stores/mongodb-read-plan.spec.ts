import { expect } from 'chai';
import { artifactDecider } from '../../src/artifacts/artifact.js';
import { artifactViews, type ArtifactView } from '../../src/artifacts/artifact-view.js';
import { submittedView } from '../../src/artifacts/evolve-view.js';
import { type FieldValues } from '../../src/artifacts/field-value.js';
import { artifactVisibility, withTracker } from '../../src/artifacts/filter.js';
import { type Criterion } from '../../src/core/read-models.js';
import { viewer } from '../../src/directory/viewer.js';
import { entriesIn, entriesOf, noneUnder, sortable, underKey } from '../../src/stores/mongodb-read-entries.js';
import { planOf, type TalliesWith } from '../../src/stores/mongodb-read-plan.js';
import { type Tally } from '../../src/stores/mongodb-read-tallies.js';
import {
  artifactOf,
  directoryOf,
  fieldOf,
  groupOf,
  projectOf,
  trackerOf,
  TRACKER_ID,
  userOf,
} from '../support/definitions.js';
import { at } from './read-models-fixture.js';

const reader = userOf(115);
const project = projectOf({ groups: [groupOf(105, { members: [115] }), groupOf(106)] });
const tracker = trackerOf([fieldOf(501, 'sb', { name: 'status' }), fieldOf(510, 'perm', { name: 'who' })]);
const reading = viewer(directoryOf({ users: [reader], projects: [project], trackers: [tracker] }), reader);
const visibility = artifactVisibility(tracker, project, reading);
const [limit] = visibility;

/** The document of an artifact that is submitted with these values. */
function submitted(values: FieldValues, id = 1): ArtifactView {
  const [event] = artifactDecider.decide({ type: 'SubmitArtifact', artifactId: id, tracker, values }, null);
  if (event?.type !== 'ArtifactSubmitted') throw new Error('It was not submitted');
  const metadata = { actor: null, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: 'c' };
  return submittedView({ ...event, id: 'e', stream: `artifact-${id}`, revision: 0, position: at(1), metadata }, id);
}

/** Counted from documents with these values. */
function talliesOf(...documents: readonly ArtifactView[]): TalliesWith {
  const counts = new Map<string, number>();
  for (const document of documents) {
    const { c = [] } = entriesOf(artifactViews, document);
    for (const combination of c) counts.set(combination, (counts.get(combination) ?? 0) + 1);
  }
  const all = [...counts].map(([combination, n]): Tally => {
    const entries = entriesIn(combination);
    const keys = entries.map((entry) => entry.slice(0, entry.indexOf('\u0001') + 1));
    return { entries: new Set([...entries, ...keys]), n };
  });
  return (wanted) => Promise.resolve(all.filter(({ entries }) => wanted.some((entry) => entries.has(entry))));
}

const ofTracker: readonly Criterion[] = withTracker([], TRACKER_ID);
const groups = (limit?.type === 'none-or-any-of' ? limit.values : []).map((id) => underKey('f510', sortable(id)));
const open = { e: { $in: [noneUnder('f510'), ...groups] } };

describe('the plan of a query on MongoDB', () => {
  const told = async (where: readonly Criterion[], tallies: TalliesWith) => {
    const { filter, total, isOfMoment } = await planOf(where, tallies);
    return { filter, total: await total(), isOfMoment };
  };

  it('finds by entries alone who may see what, where each artifact says it, as all do that are submitted', async () => {
    const all = [{}, {}, { 510: [105] }, { 510: [106] }, { 510: [106, 2] }].map((values) => submitted(values));
    const expected = { filter: open, total: 4, isOfMoment: true };
    expect(await told([...ofTracker, ...visibility], talliesOf(...all))).to.deep.equal(expected);
  });

  it('asks the artifacts where one was submitted before there was such a field', async () => {
    const tallies = talliesOf(artifactOf(1), submitted({ 510: [106] }));
    const { filter, total } = await told([...ofTracker, ...visibility], tallies);
    expect(total).to.equal(1);
    expect(filter?.$and).to.deep.equal([
      { e: underKey('tracker', sortable(TRACKER_ID)) },
      { $or: [{ k: { $ne: 'f510' } }, { e: { $in: groups } }] },
    ]);
  });

  it('knows how many there are of one value, or of several, unless some of them are hidden from the reader', async () => {
    const status = (values: readonly number[]): Criterion => ({ type: 'any-of', key: 'f501', values });
    const seen = talliesOf(...[{ 501: [1] }, { 501: [1] }, { 501: [2] }].map((values) => submitted(values)));
    const hidden = talliesOf(...[{ 501: [1] }, { 501: [1], 510: [106] }].map((values) => submitted(values)));
    expect((await told([status([1])], seen)).total).to.equal(2);
    expect((await told([status([1, 2]), ...visibility], seen)).total).to.equal(3);
    expect((await told([status([1]), ...visibility], hidden)).total).to.equal(undefined);
    expect((await told([status([1]), ...visibility], hidden)).filter).to.deep.equal({
      $and: [open, { e: underKey('f501', sortable(1)) }],
    });
  });

  it('does without tallies that are too many, or that nobody keeps', async () => {
    const where = [...ofTracker, ...visibility];
    const none = await told(where, () => Promise.resolve(undefined));
    expect(none.total).to.equal(undefined);
    expect(none.filter).to.deep.equal((await told(where, talliesOf(artifactOf(1)))).filter);
    expect((await told([{ type: 'any-of', key: 'id', values: [1] }], talliesOf(artifactOf(1)))).total).to.equal(
      undefined,
    );
  });
});
