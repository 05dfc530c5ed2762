import { expect } from 'chai';
import { artifacts } from '../../projections/artifacts.js';
import { artifactEntries, artifactViews } from '../../src/artifacts/artifact-view.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { fieldOf } from '../support/definitions.js';
import { projected } from '../support/projected.js';

const trackerId = 101;
const FIELDS = [
  fieldOf(1, 'string'),
  fieldOf(2, 'int'),
  fieldOf(3, 'file'),
  fieldOf(4, 'perm'),
  fieldOf(5, 'computed'),
  fieldOf(6, 'art_link'),
  fieldOf(7, 'msb'),
];

describe('the entries of an artifact', () => {
  const entriesOf = (values: FieldValues) => {
    const document = projected(artifacts)
      .happened(`tracker-${trackerId}`, [{ type: 'TrackerFieldsChanged', data: { trackerId, fields: FIELDS } }])
      .happened('artifact-7', [{ type: 'ArtifactSubmitted', data: { artifactId: 7, trackerId, values } }])
      .document(artifactViews, 7);
    if (document === null) throw new Error('there is no artifact');
    return artifactEntries(document);
  };

  it('begin with its tracker, except those of links', () => {
    const entries = entriesOf({ 1: 'Crash', 2: 5, 6: [9, 8].map((id) => ({ id, type: '' })), 7: [11, 12] });
    expect(entries).to.deep.equal([
      { key: '101.all', value: 1, unordered: true },
      { key: '101.aid', value: 7 },
      { key: '101.atid', value: 1 },
      { key: '101.subon', value: Date.UTC(2026, 2, 1, 12) / 1000 },
      { key: '101.lud', value: Date.UTC(2026, 2, 1, 12) / 1000 },
      { key: '101.f1', text: 'Crash' },
      { key: '101.f1', value: 'crash' },
      { key: '101.f2', value: 5 },
      { key: 'links', value: 9, unordered: true },
      { key: 'links', value: 8, unordered: true },
      { key: '101.f6', value: '', unordered: true },
      { key: '101.f7', value: 11 },
      { key: '101.f7', value: 12 },
      { key: '101.audience', value: '', unordered: true },
    ]);
  });

  it('of a string are its text, and the beginning that sorts it', () => {
    const sorting = (text: string) =>
      entriesOf({ 1: text }).flatMap((one) => (one.key === '101.f1' && 'value' in one ? [one.value] : []));
    expect(sorting(` ÉCOLE ${'x'.repeat(100)}`)).to.deep.equal([`école ${'x'.repeat(26)}`]);
    expect(sorting('🚀'.repeat(40))).to.deep.equal(['🚀'.repeat(32)]);
    expect(sorting('   ')).to.deep.equal(['']);
  });

  it('leave out permission groups and computed values, which no query uses', () => {
    const keys = entriesOf({ 4: [105], 5: { manual: 3 } }).map(({ key }) => key);
    expect(keys.filter((key) => /\.f\d+$/.test(key))).to.deep.equal([]);
    expect(keys).not.to.include('source');
  });
});
