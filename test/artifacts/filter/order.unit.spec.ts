import { expect } from 'chai';
import { artifacts } from '../../../projections/artifacts.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { placeIn, startKeyOf } from '../../../src/artifacts/filter/order.js';
import { fieldOf } from '../../support/definitions.js';
import { projected } from '../../support/projected.js';

const trackerId = 101;
const LIST = 7;
const KEY = `${trackerId}.f${LIST}`;

describe('The place of an artifact in an order', () => {
  const placeOf = (values: readonly number[], direction: 'asc' | 'desc') => {
    const document = projected(artifacts)
      .happened(`tracker-${trackerId}`, [
        { type: 'TrackerFieldsChanged', data: { trackerId, fields: [fieldOf(LIST, 'msb')] } },
      ])
      .happened('artifact-3', [
        { type: 'ArtifactSubmitted', data: { artifactId: 3, trackerId, values: { [LIST]: values } } },
      ])
      .document(artifactViews, 3);
    return startKeyOf(document!, [{ key: KEY, direction }]);
  };

  it('is that of the value which comes first in the direction of the order', () => {
    for (const values of [
      [11, 13, 12],
      [13, 12, 11],
    ]) {
      expect(placeOf(values, 'asc')).to.deep.equal({ id: 3, values: [11, KEY] });
      expect(placeOf(values, 'desc')).to.deep.equal({ id: 3, values: [13, KEY] });
    }
    expect(placeOf([], 'asc')).to.deep.equal({ id: 3, values: [null, KEY] });
  });

  it('is read from a cursor with the keys of the order, or of an earlier release, without keys', () => {
    const order = [{ key: KEY, direction: 'asc' }] as const;
    const place = { id: 3, values: [11] };
    expect(placeIn(order, { id: 3, values: [11, KEY] })).to.deep.equal(place);
    expect(placeIn(order, place)).to.deep.equal(place);
    expect(() => placeIn(order, { id: 3, values: [11, `${KEY}0`] })).to.throw('named other fields');
    expect(placeIn([], { id: 3, values: [] })).to.deep.equal({ id: 3, values: [] });
  });
});
