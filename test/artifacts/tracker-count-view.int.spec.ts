import { expect } from 'chai';
import { type ArtifactDocument } from '../../src/artifacts/artifact-view.js';
import { ALL, countedValue, countOf, recounted, type TrackerCounts } from '../../src/artifacts/tracker-count-view.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { artifactOf, TRACKER_ID } from '../support/definitions.js';

const tracker = { id: TRACKER_ID, types: { 6: 'file', 9: 'perm' } } as const;
const open = (values: FieldValues = {}): ArtifactDocument => artifactOf(1, { values });
const shut = (groups: readonly number[], values: FieldValues = {}): ArtifactDocument =>
  artifactOf(1, { values: { ...values, 9: groups }, limitedBy: [9] });

class Counting {
  known: TrackerCounts | null = null;

  replace(before: ArtifactDocument | null, after: ArtifactDocument | null): this {
    this.known = recounted(this.known, tracker, before, after);
    return this;
  }

  add(...artifacts: readonly ArtifactDocument[]): this {
    for (const artifact of artifacts) this.replace(null, artifact);
    return this;
  }

  readonly of = (what: string): number | undefined => countOf(this.known, what, null);
  readonly seenBy = (group: number, what = ALL): number | undefined =>
    countOf(this.known, what, (groupsOf) => groupsOf(9).length === 0 || groupsOf(9).includes(group));
}

describe('counts of the artifacts of a tracker', () => {
  it('are of all, and of each list value, by who may see them', () => {
    const counts = new Counting().add(
      open({ 1: [7] }),
      open({ 1: [7, 8, 7] }),
      shut([105, 2], { 2: [{ open: 3, label: 'x' }] }),
    );
    expect(counts.known).to.deep.include({
      id: TRACKER_ID,
      limits: ['', '9'],
      counts: {
        g: { '': { '': 2, '9:2,105': 1 } },
        'g=7': { 'f1=7': { '': 2 } },
        'g=8': { 'f1=8': { '': 1 } },
        go3: { 'f2=o3': { '9:2,105': 1 } },
      },
    });
    expect([counts.of(ALL), counts.seenBy(2), counts.seenBy(3), counts.of('f1=9')]).to.deep.equal([3, 3, 2, 0]);
  });

  it('follow an artifact as it changes and goes', () => {
    const counts = new Counting().add(open({ 1: [7] }));
    counts.replace(open({ 1: [7] }), shut([2], { 1: [8] }));
    expect([counts.of('f1=7'), counts.of('f1=8'), counts.seenBy(3), counts.seenBy(2)]).to.deep.equal([0, 1, 0, 1]);
    counts.replace(shut([2], { 1: [8] }), null);
    expect([counts.of(ALL), counts.of('f1=8')]).to.deep.equal([0, 0]);
  });

  it('copy a group of values once for all values of an artifact, and never change what was known', () => {
    const [ids, started] = [Array.from({ length: 9000 }, (_, index) => index * 100 + 7), performance.now()];
    const counts = new Counting().add(open({ 1: ids }));
    const { known } = counts;
    counts.replace(open({ 1: ids }), open());
    expect([counts.of('f1=7'), countOf(known, 'f1=7', null)]).to.deep.equal([0, 1]);
    expect(performance.now() - started).to.be.below(2000);
  });

  it('stay the same object where nothing that they count changes', () => {
    const { known } = new Counting().add(open({ 1: [7], 3: 'a' }));
    expect(recounted(known, tracker, open({ 1: [7], 3: 'a' }), open({ 1: [7], 3: 'b', 6: [1] }))).to.equal(known);
    expect(recounted(known, tracker, null, null)).to.equal(known);
  });

  it('take no notice of files, of groups and of links', () => {
    const counts = new Counting().add(shut([2], { 6: [1], 4: [{ id: 5, type: '' }] }));
    expect(Object.keys(counts.known?.counts ?? {})).to.deep.equal(['g']);
  });

  it('of more than 1,000 audiences are known to those only who see all', () => {
    const counts = new Counting();
    for (let group = 1; group <= 1000; group += 1) counts.add(shut([group], { 1: [7] }));
    expect([counts.seenBy(1000), counts.of(ALL)]).to.deep.equal([1, 1000]);
    counts.add(shut([1001], { 1: [8] }));
    expect([counts.seenBy(1000), counts.of(ALL), counts.of('f1=8')]).to.deep.equal([undefined, 1001, 1]);
    expect([counts.seenBy(5, 'f1=7'), counts.seenBy(5, 'f1=8')]).to.deep.equal([1, undefined]);
    counts.replace(shut([1001], { 1: [8] }), null);
    expect([counts.seenBy(1000), counts.of(ALL)]).to.deep.equal([1, 1000]);
    counts.replace(shut([1], { 1: [7] }), null).add(shut([1001]));
    expect([counts.seenBy(1000), counts.of(ALL)]).to.deep.equal([undefined, 1000]);
  });

  it('of values beyond 256 kB are not known, and those of known ones go on', () => {
    const counts = new Counting();
    const valueAt = (n: number): string => countedValue('f1', n);
    for (let n = 1; counts.of(valueAt(0)) === 0; n += 1) counts.add(open({ 1: [n] }));
    const size = JSON.stringify(counts.known).length;
    expect(size).to.be.within(128 * 1024, 256 * 1024);
    counts.add(open({ 1: [1] }), open({ 1: [0] }), shut([2], { 1: [1] }));
    expect([counts.of(valueAt(0)), counts.of(valueAt(1)), counts.seenBy(2, valueAt(1))]).to.deep.equal([
      undefined,
      3,
      undefined,
    ]);
    counts
      .replace(open({ 1: [1] }), null)
      .replace(open({ 1: [0] }), null)
      .replace(shut([2], { 1: [1] }), null);
    expect([counts.of(valueAt(0)), counts.of(valueAt(1)), counts.seenBy(2, valueAt(1))]).to.deep.equal([
      undefined,
      1,
      1,
    ]);
    expect(JSON.stringify(counts.known).length - size).to.be.below(100);
  });
});
