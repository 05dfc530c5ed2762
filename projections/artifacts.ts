import { type ArtifactEvent } from '../src/artifacts/artifact-events.js';
import {
  ARTIFACTS,
  artifactTrackerViews,
  artifactViews,
  deletedArtifactViews,
  type ArtifactDocument,
  type ArtifactTrackerView,
  type ArtifactView,
} from '../src/artifacts/artifact-view.js';
import { changedView, movedView, submittedView } from '../src/artifacts/evolve-view.js';
import { numbersOf } from '../src/trackers/field-types/canonical.js';
import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Lookup, type Projection } from '../src/core/projection.js';
import { allFields } from '../src/trackers/field-types/definition.js';
import { type TrackerEvent } from '../src/trackers/tracker-events.js';
import { assertNoRevisionGap } from './revision-gap.js';

/** Trackers are written after the artifacts: a batch applied again then numbers the same artifacts alike. */
export const artifacts: Projection<ArtifactEvent | TrackerEvent> = {
  name: ARTIFACTS,
  version: 4,
  models: [deletedArtifactViews.name, artifactViews.name, artifactTrackerViews.name],
  when: {
    TrackerDefined: fieldsKnown,
    TrackerFieldsChanged: fieldsKnown,

    ArtifactSubmitted: (event) => [
      ofTracker(event.data.trackerId, (tracker) => ({ ...tracker, submitted: tracker.submitted + 1 })),
      effect(artifactViews, event.data.artifactId, (_, lookup) => {
        const { submitted = 1 } = lookup(artifactTrackerViews, event.data.trackerId) ?? {};
        return limited(submittedView(event, submitted), lookup);
      }),
    ],

    ArtifactValuesChanged: (event) => [
      ofTracker(event.data.trackerId, (tracker) => tracker),
      effect(artifactViews, event.data.artifactId, (artifact, lookup) =>
        limited(changedView(existing(artifact, event), event), lookup),
      ),
    ],

    FileClaimsReleased: (event) => [
      effect(artifactViews, event.data.artifactId, (artifact) => {
        assertNoRevisionGap(artifact, event, 'artifact');
        return artifact && movedView(artifact, event);
      }),
    ],

    ArtifactDeleted: (event) => {
      const { artifactId } = event.data;
      return [
        effect(deletedArtifactViews, artifactId, (kept, lookup) => lookup(artifactViews, artifactId) ?? kept),
        effect(artifactViews, artifactId, (artifact) => {
          assertNoRevisionGap(artifact, event, 'artifact');
          return null;
        }),
      ];
    },
  },
};

type FieldsKnown = Extract<TrackerEvent, { type: 'TrackerDefined' | 'TrackerFieldsChanged' }>;

function fieldsKnown({ data: { trackerId, fields } }: Recorded<FieldsKnown>): readonly Effect[] {
  const others = allFields(fields).flatMap(({ id, type }) => (type === 'perm' ? [] : [id]));
  return [ofTracker(trackerId, (tracker) => ({ ...tracker, others }))];
}

function ofTracker(id: number, evolve: (tracker: ArtifactTrackerView) => ArtifactTrackerView): Effect {
  return effect(artifactTrackerViews, id, (tracker) => evolve(tracker ?? { id, submitted: 0, others: [] }));
}

function existing(artifact: ArtifactView | null, event: Recorded): ArtifactView {
  if (artifact === null) throw new Error('the artifact was never submitted');
  assertNoRevisionGap(artifact, event, 'artifact');
  return artifact;
}

/** Groups are numbers in a list, as other things are, too. A field of which nothing is known is taken to hold groups. */
function limited(artifact: ArtifactView, lookup: Lookup): ArtifactDocument {
  const { others = [] } = lookup(artifactTrackerViews, artifact.trackerId) ?? {};
  const holding = Object.keys(artifact.values).filter((id) => numbersOf(artifact.values[id]).length > 0);
  return { ...artifact, limitedBy: holding.map(Number).filter((id) => !others.includes(id)) };
}
