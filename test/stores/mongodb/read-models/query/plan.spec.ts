import { expect } from 'chai';
import { artifacts } from '../../../../../projections/artifacts.js';
import { artifactDecider } from '../../../../../src/artifacts/artifact.js';
import { artifactViews, type ArtifactDocument } from '../../../../../src/artifacts/artifact-view.js';
import { type FieldValues } from '../../../../../src/trackers/field-types/field-value.js';
import { artifactVisibility, withTracker } from '../../../../../src/artifacts/filter/filter.js';
import { type Criterion } from '../../../../../src/core/read-models.js';
import { viewer } from '../../../../../src/authorization/viewer.js';
import {
  anyUnder,
  combined,
  entriesOf,
  presentUnder,
  sortable,
  underKey,
} from '../../../../../src/stores/mongodb/read-models/entries.js';
import { planOf } from '../../../../../src/stores/mongodb/read-models/query/plan.js';
import {
  artifactOf,
  definitionsOf,
  fieldOf,
  groupOf,
  projectOf,
  trackerOf,
  TRACKER_ID,
  userOf,
} from '../../../../support/definitions.js';
import { type Tallies } from '../../../../../src/stores/mongodb/read-models/tallies.js';
import { NOTHING_KNOWN } from '../fixture.js';
import { projected, type Projected } from '../../../../support/projected.js';

const reader = userOf(115);
const project = projectOf({ groups: [groupOf(105, { members: [115] }), groupOf(106)] });
const tracker = trackerOf([fieldOf(501, 'sb', { name: 'status' }), fieldOf(510, 'perm', { name: 'who' })]);
const reading = viewer(definitionsOf({ users: [reader], projects: [project], trackers: [tracker] }), reader);
const visibility = artifactVisibility(tracker, project, reading);
const [limit] = visibility;

/** Documents of artifacts that are submitted with these values, one after the other. */
function submitted(...all: readonly FieldValues[]): readonly ArtifactDocument[] {
  const made = projected(artifacts).happened(`tracker-${TRACKER_ID}`, [
    { type: 'TrackerDefined', data: { ...tracker.view, trackerId: TRACKER_ID } },
  ]);
  return all.map((values, id) => {
    const events = artifactDecider.decide({ type: 'SubmitArtifact', artifactId: id, tracker, values }, null);
    return documentIn(made.happened(`artifact-${id}`, events), id);
  });
}

function documentIn(made: Projected, id: number): ArtifactDocument {
  const document = made.document(artifactViews, id);
  if (document === null) throw new Error('It was not submitted');
  return document;
}

/** Counted from documents with these values. */
function talliesOf(documents: readonly ArtifactDocument[]): Tallies {
  const counts = new Map<string, number>();
  for (const document of documents) {
    const { c = [] } = entriesOf(artifactViews, document);
    for (const combination of c) counts.set(combination, (counts.get(combination) ?? 0) + 1);
  }
  const all = [...counts].map(([combination, n]) => ({ ...combined(combination), n }));
  const having = (entry: string) => all.filter(({ of }) => of.includes(entry));
  return {
    countsOf: (entries) => Promise.resolve([...new Set(entries.flatMap(having))]),
    everSaidUnder: (key) => Promise.resolve(having(anyUnder(key)).flatMap(({ said }) => said)),
  };
}

const ofTracker: readonly Criterion[] = withTracker([], TRACKER_ID);
const groups = (limit?.type === 'none-or-any-of' ? limit.values : []).map((id) => underKey('f510', sortable(id)));
const limits = (...present: readonly string[]): string => presentUnder(`limits-${TRACKER_ID}`, present);
const open = { e: { $in: [limits(), ...groups] } };

describe('the plan of a query on MongoDB', () => {
  const told = async (where: readonly Criterion[], tallies: Tallies) => {
    const { filter, total, isOfMoment } = await planOf(where, tallies);
    return { filter, total: await total(), isOfMoment };
  };

  it('finds by entries alone who may see what', async () => {
    const all = submitted({}, {}, { 510: [105] }, { 510: [106] }, { 510: [106, 2] });
    const expected = { filter: open, total: 4, isOfMoment: true };
    expect(await told([...ofTracker, ...visibility], talliesOf(all))).to.deep.equal(expected);
  });

  it('finds as well what was submitted before there was such a field, or is limited by another one', async () => {
    const all = [artifactOf(1), artifactOf(2, { limitedBy: [511] }), ...submitted({ 510: [106] })];
    const { filter, total } = await told([...ofTracker, ...visibility], talliesOf(all));
    expect({ filter, total }).to.deep.equal({
      filter: { e: { $in: [limits(), limits('f511'), ...groups] } },
      total: 2,
    });
  });

  it('finds what two fields have to agree on', async () => {
    const two = trackerOf([...tracker.fields, fieldOf(511, 'perm', { name: 'who else' })]);
    const all = [artifactOf(1, { limitedBy: [511] }), ...submitted({ 510: [105] }, {})];
    const { filter, total } = await told([...ofTracker, ...artifactVisibility(two, project, reading)], talliesOf(all));
    const others = groups.map((entry) => entry.replace('f510', 'f511'));
    expect(filter?.$and).to.deep.equal([
      { e: { $in: [limits('f511'), limits(), ...groups] } },
      { e: { $in: [limits('f510'), limits(), ...others] } },
    ]);
    expect(total).to.equal(3);
  });

  it('knows how many there are of one value, or of several, also where some are hidden from the reader', async () => {
    const status = (values: readonly number[]): Criterion => ({ type: 'any-of', key: 'f501', values });
    const seen = talliesOf(submitted({ 501: [1] }, { 501: [1] }, { 501: [2] }));
    const hidden = talliesOf(submitted({ 501: [1] }, { 501: [1], 510: [106] }));
    expect((await told([status([1])], seen)).total).to.equal(2);
    expect((await told([status([1, 2]), ...visibility], seen)).total).to.equal(3);
    expect((await told([status([1]), ...visibility], hidden)).total).to.equal(1);
    expect((await told([status([1]), ...visibility], hidden)).filter).to.deep.equal({
      $and: [open, { e: underKey('f501', sortable(1)) }],
    });
  });

  it('does without tallies that are too many, or that nobody keeps', async () => {
    const where = [...ofTracker, ...visibility];
    const none = await told(where, NOTHING_KNOWN);
    expect(none.total).to.equal(undefined);
    expect(none.filter?.$and).to.deep.equal([
      { e: underKey('tracker', sortable(TRACKER_ID)) },
      { $or: [{ k: { $ne: 'f510' } }, { e: { $in: groups } }] },
    ]);
    expect((await told(where, talliesOf([]))).filter).to.deep.equal(none.filter);
    expect((await told([{ type: 'any-of', key: 'id', values: [1] }], talliesOf([artifactOf(1)]))).total).to.equal(
      undefined,
    );
  });
});
