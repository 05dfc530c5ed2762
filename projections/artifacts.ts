import { type ArtifactEvent } from '../src/artifacts/artifact-events.js';
import {
  ARTIFACTS,
  artifactViews,
  deletedArtifactViews,
  numberingViews,
  type ArtifactView,
} from '../src/artifacts/artifact-view.js';
import { changedView, submittedView } from '../src/artifacts/evolve-view.js';
import { type Recorded } from '../src/core/event-log.js';
import { effect, type Projection } from '../src/core/projection.js';
import { consecutive } from './consecutive.js';

/** The numbering is written after the artifacts: a batch applied again then numbers the same artifacts alike. */
export const artifacts: Projection<ArtifactEvent> = {
  name: ARTIFACTS,
  version: 3,
  models: [deletedArtifactViews.name, artifactViews.name, numberingViews.name],
  when: {
    ArtifactSubmitted: (event) => [
      effect(numberingViews, event.data.trackerId, (counter) => ({
        id: event.data.trackerId,
        submitted: (counter?.submitted ?? 0) + 1,
      })),
      effect(artifactViews, event.data.artifactId, (_, lookup) =>
        submittedView(event, lookup(numberingViews, event.data.trackerId)?.submitted ?? 1),
      ),
    ],

    ArtifactValuesChanged: (event) => [
      effect(artifactViews, event.data.artifactId, (artifact) => changedView(existing(artifact, event), event)),
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

function existing(artifact: ArtifactView | null, event: Recorded): ArtifactView {
  if (artifact === null) throw new Error('the artifact was never submitted');
  consecutive(artifact, event, 'artifact');
  return artifact;
}
