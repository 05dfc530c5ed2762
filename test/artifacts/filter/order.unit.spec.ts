import { expect } from 'chai';
import { artifacts } from '../../../projections/artifacts.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { startKeyOf } from '../../../src/artifacts/filter/order.js';
import { fieldOf } from '../../support/definitions.js';
import { projected } from '../../support/projected.js';

const trackerId = 101;
const LIST = 7;

describe('The place of an artifact in an order', () => {
  const placeIn = (values: readonly number[], direction: 'asc' | 'desc') => {
    const document = projected(artifacts)
      .happened(`tracker-${trackerId}`, [
        { type: 'TrackerFieldsChanged', data: { trackerId, fields: [fieldOf(LIST, 'msb')] } },
      ])
      .happened('artifact-3', [
        { type: 'ArtifactSubmitted', data: { artifactId: 3, trackerId, values: { [LIST]: values } } },
      ])
      .document(artifactViews, 3);
    return startKeyOf(document!, [{ key: `${trackerId}.f${LIST}`, direction }]);
  };

  it('is that of the value which comes first in the direction of the order', () => {
    for (const values of [
      [11, 13, 12],
      [13, 12, 11],
    ]) {
      expect(placeIn(values, 'asc')).to.deep.equal({ id: 3, values: [11] });
      expect(placeIn(values, 'desc')).to.deep.equal({ id: 3, values: [13] });
    }
    expect(placeIn([], 'asc')).to.deep.equal({ id: 3, values: [null] });
  });
});
