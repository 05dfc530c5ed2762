/** Which artifacts may be ends of a new link, by their trackers and projects. */
import { type Viewer } from '../../authorization/viewer.js';
import { type ArtifactView } from '../artifact-view.js';
import { type ArtifactPorts } from '../ports.js';

type Ports = Pick<ArtifactPorts, 'definitions'>;

/** Checked against all fields that may hold the link. Otherwise the answer would reveal which one does. */
export function canLinkFrom(
  source: Pick<ArtifactView, 'trackerId' | 'values'>,
  { definitions }: Ports,
  viewer: Viewer,
): boolean {
  const tracker = definitions.tracker(source.trackerId);
  if (tracker === undefined || !isInActiveProject(source, { definitions })) return false;
  const fields = tracker.ofType('art_link');
  const readable = viewer.readable(tracker);
  const isWritable = fields.every(
    (field) => readable.fieldById(field.id) !== undefined && viewer.mayWrite('update', tracker, field),
  );
  return fields.length > 0 && isWritable && viewer.canSeeArtifact(source) && viewer.canUpdate(tracker);
}

export function isInActiveProject({ trackerId }: Pick<ArtifactView, 'trackerId'>, { definitions }: Ports): boolean {
  const tracker = definitions.tracker(trackerId);
  return tracker !== undefined && definitions.project(tracker.view.projectId)?.status === 'active';
}
