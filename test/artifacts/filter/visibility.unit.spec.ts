import { expect } from 'chai';
import { type ArtifactDocument } from '../../../src/artifacts/artifact-view.js';
import { visibleArtifacts } from '../../../src/artifacts/filter/visibility.js';
import { recounted, type TrackerCounts } from '../../../src/artifacts/tracker-count-view.js';
import { type Viewer, viewer } from '../../../src/authorization/viewer.js';
import { type Criterion } from '../../../src/core/read-models.js';
import {
  artifactOf,
  definitionsOf,
  fieldOf,
  groupOf,
  projectOf,
  trackerOf,
  TRACKER_ID,
  userOf,
} from '../../support/definitions.js';

const [reader, admin] = [userOf(115), userOf(116)];
const project = projectOf({
  admins: [admin.id],
  groups: [groupOf(105, { members: [reader.id] }), groupOf(106)],
});
const tracker = trackerOf([
  fieldOf(501, 'sb', { name: 'status' }),
  fieldOf(503, 'int', { name: 'points' }),
  fieldOf(510, 'perm', { name: 'who' }),
]);
const definitions = definitionsOf({ users: [reader, admin], projects: [project], trackers: [tracker] });
const [anyone, member, administrator] = [null, reader, admin].map((user) => viewer(definitions, user)) as [
  Viewer,
  Viewer,
  Viewer,
];

const counted = (...artifacts: readonly ArtifactDocument[]): TrackerCounts | null =>
  artifacts.reduce<TrackerCounts | null>(
    (known, artifact) => recounted(known, { id: TRACKER_ID, types: {} }, null, artifact),
    null,
  );
const open = (values = {}) => artifactOf(1, { values });
const shut = (groups: readonly number[], values = {}) =>
  artifactOf(2, { values: { ...values, 510: groups }, limitedBy: [510] });
const status = (...values: readonly number[]): Criterion => ({ type: 'any-of', key: '101.f501', values });

describe('a query for the artifacts of a tracker', () => {
  const asked = (by: Viewer, counts: TrackerCounts | null, criteria: readonly Criterion[] = [], of = tracker) => {
    const { where, given } = visibleArtifacts(criteria, of, project, by);
    expect(given).to.include({ id: TRACKER_ID });
    const { where: more, total } = given.take(counts);
    return { where: [...where, ...more], total };
  };
  const audience = (...values: readonly string[]): Criterion => ({ type: 'any-of', key: '101.audience', values });

  it('asks for all of them for administrators', () => {
    const ofTracker = { type: 'any-of', key: '101.all', values: [1] };
    const all = counted(open(), shut([106]));
    expect(asked(administrator, all)).to.deep.equal({ where: [ofTracker], total: 2 });
    expect(asked(administrator, all, [status(1)])).to.deep.equal({ where: [status(1)], total: 0 });
  });

  it('names the tracker where its criteria could match elsewhere', () => {
    const elsewhere: Criterion = { type: 'empty', key: '101.f501' };
    const ofTracker = { type: 'any-of', key: '101.all', values: [1] };
    const { where, total } = asked(administrator, counted(open()), [elsewhere]);
    expect({ where, total }).to.deep.equal({ where: [ofTracker, elsewhere], total: undefined });
  });

  it('asks for those that are open to all or to a group of the reader', () => {
    const all = counted(open(), shut([105]), shut([106, 105]), shut([106]));
    expect(asked(member, all)).to.deep.equal({ where: [audience('', '510=1', '510=2', '510=105')], total: 3 });
    expect(asked(anyone, all)).to.deep.equal({ where: [audience('', '510=1')], total: 1 });
    expect(asked(anyone, null)).to.deep.equal({ where: [audience('', '510=1')], total: 0 });
  });

  it('finds what is limited by a field that there is no longer', () => {
    const all = counted(open(), artifactOf(3, { values: { 509: [106] }, limitedBy: [509] }), shut([106]));
    expect(asked(anyone, all)).to.deep.equal({ where: [audience('', '509', '510=1')], total: 2 });
  });

  it('checks each permission field', () => {
    const two = trackerOf([...tracker.fields, fieldOf(511, 'perm', { name: 'who else' })]);
    const other = artifactOf(3, { values: { 510: [1], 511: [106] }, limitedBy: [510, 511] });
    const all = counted(open(), shut([1]), other, artifactOf(4, { values: { 511: [1] }, limitedBy: [511] }));
    expect(asked(anyone, all, [], two)).to.deep.equal({
      where: [audience('', '511', '510=1'), audience('', '510', '511=1')],
      total: 3,
    });
  });

  it('gets from the counts only the total of one list value', () => {
    const all = counted(open({ 501: [1] }), open({ 501: [1], 503: 7 }), shut([106], { 501: [1] }), open());
    const total = (by: Viewer, ...criteria: readonly Criterion[]) => asked(by, all, criteria).total;
    expect([total(anyone, status(1)), total(administrator, status(1)), total(anyone, status(9))]).to.deep.equal([
      2, 3, 0,
    ]);
    const points: Criterion = { type: 'any-of', key: '101.f503', values: [7] };
    for (const criteria of [[status(1, 2)], [status()], [status(1), status(1)], [points]]) {
      expect(total(anyone, ...criteria), JSON.stringify(criteria)).to.equal(undefined);
    }
  });
});
