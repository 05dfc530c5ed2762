import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import { trackerDecider } from '../src/trackers/tracker.js';
import { type OpenValueEvent, type TrackerEvent } from '../src/trackers/tracker-events.js';
import { openValuesViews, TRACKERS, trackerViews } from '../src/trackers/tracker-view.js';
import { assertNoRevisionGap } from './revision-gap.js';

export const trackers: Projection<TrackerEvent | OpenValueEvent> = {
  name: TRACKERS,
  version: 1,
  models: [trackerViews.name, openValuesViews.name],
  when: {
    TrackerDefined: evolved,
    TrackerRenamed: evolved,
    TrackerFieldsChanged: evolved,
    TrackerPermissionsChanged: evolved,
    TrackerSemanticsChanged: evolved,
    TrackerWorkflowChanged: evolved,
    TrackerReportsChanged: evolved,
    TrackerDeleted: evolved,
    OpenValueAdded: (event) => {
      const { fieldId, number, label } = event.data;
      return [
        effect(openValuesViews, fieldId, (known) => {
          const values = known?.values ?? [];
          // Nothing else is in the stream.
          assertNoRevisionGap({ revision: values.length - 1 }, event, 'list of values');
          return { id: fieldId, values: [...values, { number, label }] };
        }),
      ];
    },
  },
};

function evolved(event: Recorded<TrackerEvent>): readonly Effect[] {
  const { data, revision } = event;
  return [
    effect(trackerViews, data.trackerId, (document) => {
      assertNoRevisionGap(document, event, 'tracker');
      const tracker = trackerDecider.evolve(document, event);
      if (tracker === null) throw new Error('the tracker was never defined');
      return { ...tracker, id: data.trackerId, revision };
    }),
  ];
}
