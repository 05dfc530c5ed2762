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
import { changedView, submittedView } from '../src/artifacts/evolve-view.js';
import { isEmptyValue } from '../src/artifacts/fields/values.js';
import { NO_STREAM, type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Lookup, type Projection } from '../src/core/projection.js';
import { allFields } from '../src/trackers/compiled-tracker.js';
import { type TrackerEvent } from '../src/trackers/tracker.js';
import { consecutive } from './consecutive.js';

/** Trackers are written after the artifacts: a batch applied again then numbers the same artifacts alike. */
export const artifacts: Projection<ArtifactEvent | TrackerEvent> = {
  name: ARTIFACTS,
  version: 4,
  models: [deletedArtifactViews.name, artifactViews.name, artifactTrackerViews.name],
  when: {
    TrackerDefined: evolved,
    TrackerRenamed: evolved,
    TrackerFieldsChanged: evolved,
    TrackerPermissionsChanged: evolved,
    TrackerSemanticsChanged: evolved,
    TrackerWorkflowChanged: evolved,
    TrackerDeleted: evolved,

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

    ArtifactDeleted: (event) => {
      const { artifactId } = event.data;
      return [
        effect(deletedArtifactViews, artifactId, (kept, lookup) => lookup(artifactViews, artifactId) ?? kept),
        effect(artifactViews, artifactId, (artifact) => {
          consecutive(artifact, event, 'artifact');
          return null;
        }),
      ];
    },
  },
};

/** Only the fields matter, but that any of the events was not delivered is noticed by all of them. */
function evolved(event: Recorded<TrackerEvent>): readonly Effect[] {
  const { data, revision } = event;
  const perms = allFields('fields' in data ? data.fields : []).filter(({ type }) => type === 'perm');
  return [
    ofTracker(data.trackerId, (tracker) => {
      consecutive(tracker, event, 'tracker');
      return { ...tracker, revision, perms: [...new Set([...tracker.perms, ...perms.map(({ id }) => id)])] };
    }),
  ];
}

function ofTracker(id: number, evolve: (tracker: ArtifactTrackerView) => ArtifactTrackerView): Effect {
  const undefinedYet = { id, revision: NO_STREAM, submitted: 0, perms: [] };
  return effect(artifactTrackerViews, id, (tracker) => evolve(tracker ?? undefinedYet));
}

function existing(artifact: ArtifactView | null, event: Recorded): ArtifactView {
  if (artifact === null) throw new Error('the artifact was never submitted');
  consecutive(artifact, event, 'artifact');
  return artifact;
}

/** Nobody is shut out by an empty value. */
function limited(artifact: ArtifactView, lookup: Lookup): ArtifactDocument {
  const perms = lookup(artifactTrackerViews, artifact.trackerId)?.perms ?? [];
  return { ...artifact, limits: perms.filter((id) => !isEmptyValue(artifact.values[String(id)])) };
}
