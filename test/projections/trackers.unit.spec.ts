import { expect } from 'chai';
import { trackers } from '../../projections/trackers.js';
import { type OpenValueEvent, type TrackerEvent } from '../../src/trackers/tracker-events.js';
import { openValuesViews, trackerViews } from '../../src/trackers/tracker-view.js';
import { projected } from '../support/projected.js';

describe('the document of a tracker', () => {
  const trackerId = 120;
  const definition = {
    projectId: 110,
    itemName: 'bug',
    label: 'Bugs',
    description: '',
    color: 'fiesta-red',
    admins: { users: [], groups: [] },
    permissions: { access: [1], submit: [2], update: [3] },
    fields: [],
    semantics: {},
    workflow: null,
  };
  const defined: TrackerEvent = { type: 'TrackerDefined', data: { trackerId, ...definition } };

  it('stays after the deletion of the tracker, marked as deleted', () => {
    const view = projected(trackers).happened('tracker-120', [
      defined,
      { type: 'TrackerSemanticsChanged', data: { trackerId, semantics: { title: 501 } } },
      { type: 'TrackerDeleted', data: { trackerId } },
    ]);
    expect(view.document(trackerViews, trackerId)).to.deep.equal({
      id: trackerId,
      ...definition,
      semantics: { title: 501 },
      deleted: true,
      revision: 2,
    });
  });

  it('cannot change before there is one', () => {
    const change: TrackerEvent = { type: 'TrackerDeleted', data: { trackerId } };
    expect(() => projected(trackers).happened('tracker-120', [change])).to.throw('never defined');
  });

  it('has the labels that users added beside it, field by field', () => {
    const added = (number: number, label: string): OpenValueEvent => ({
      type: 'OpenValueAdded',
      data: { fieldId: 501, trackerId, number, label },
    });
    const view = projected(trackers).happened('openvalues-501', [added(1, 'leak'), added(2, 'noise')]);
    expect(view.document(openValuesViews, 501)).to.deep.equal({
      id: 501,
      values: [
        { number: 1, label: 'leak' },
        { number: 2, label: 'noise' },
      ],
    });
  });
});
