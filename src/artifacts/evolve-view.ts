/** How an artifact's events make its document: for the projection, and for the artifact as it was. */
import { type Recorded } from '../core/event-log.js';
import { type ArtifactEvent } from './artifact-events.js';
import { type ArtifactView } from './artifact-view.js';

type RecordedAs<Type extends ArtifactEvent['type']> = Recorded<Extract<ArtifactEvent, { type: Type }>>;

export function submittedView(
  { data, revision, metadata: { actor, at } }: RecordedAs<'ArtifactSubmitted'>,
  atid: number,
): ArtifactView {
  return {
    id: data.artifactId,
    trackerId: data.trackerId,
    atid,
    revision,
    values: data.values,
    submittedBy: actor,
    submittedOn: at,
    lastUpdateBy: actor,
    lastUpdateOn: at,
  };
}

/** The ETag is the stream's revision, for every event. */
export function movedView<View extends ArtifactView>(artifact: View, { revision }: Recorded): View {
  return { ...artifact, revision };
}

export function changedView(
  artifact: ArtifactView,
  { data, revision, metadata: { actor, at } }: RecordedAs<'ArtifactValuesChanged'>,
): ArtifactView {
  return {
    ...artifact,
    values: { ...artifact.values, ...data.values },
    revision,
    lastUpdateBy: actor,
    lastUpdateOn: at,
  };
}
