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
import { recounted, trackerCounts } from '../src/artifacts/tracker-count-view.js';
import { evolveTrackerLabels, projectLabels, trackerLabels } from '../src/artifacts/label-view.js';
import { commentId, commentViews, phraseOf } from '../src/artifacts/comment-view.js';
import { changedView, movedView, submittedView } from '../src/artifacts/evolve-view.js';
import { numbersOf } from '../src/trackers/field-types/canonical.js';
import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Lookup, type Projection } from '../src/core/projection.js';
import { allFields, type FieldType, type Semantics } from '../src/trackers/field-types/definition.js';
import { isOpen } from '../src/trackers/field-types/status.js';
import { type ProjectEvent } from '../src/projects/project-events.js';
import { type TrackerEvent } from '../src/trackers/tracker-events.js';
import { assertNoRevisionGap } from './revision-gap.js';

/**
 * Trackers are written after the artifacts: a batch applied again then numbers the same artifacts alike. Counts are
 * written before the artifacts, from what those were: an artifact that reflects an event has been counted.
 */
export const artifacts: Projection<ArtifactEvent | TrackerEvent | ProjectEvent> = {
  name: ARTIFACTS,
  version: 18,
  models: [
    deletedArtifactViews.name,
    trackerCounts.name,
    commentViews.name,
    artifactViews.name,
    artifactTrackerViews.name,
    trackerLabels.name,
    projectLabels.name,
  ],
  when: {
    ProjectRegistered: ({ data: { projectId: id, shortname: name, label } }) => [
      effect(projectLabels, id, () => ({ id, name, label })),
    ],
    ProjectRenamed: ({ data: { projectId, label } }) => [
      effect(projectLabels, projectId, (project) => project && { ...project, label }),
    ],

    TrackerDefined: (event) => [...fieldsKnown(event), statusKnown(event), labelsKnown(event)],
    TrackerFieldsChanged: (event) => [...fieldsKnown(event), labelsKnown(event)],
    TrackerSemanticsChanged: (event) => [statusKnown(event), labelsKnown(event)],
    TrackerRenamed: (event) => [labelsKnown(event)],
    TrackerDeleted: (event) => [labelsKnown(event)],

    ArtifactSubmitted: (event) => [
      ofTracker(event.data.trackerId, (tracker) => ({ ...changed(tracker), submitted: tracker.submitted + 1 })),
      ...ofArtifact(event, (_, tracker) => asStored(submittedView(event, tracker.submitted), tracker, null)),
    ],

    ArtifactValuesChanged: (event) => [
      ofTracker(event.data.trackerId, changed),
      ...ofArtifact(event, (artifact, tracker) =>
        asStored(changedView(existing(artifact, event), event), tracker, artifact, hasComment(event)),
      ),
      ...commented(event),
    ],

    FileClaimsReleased: (event) => [
      effect(artifactViews, event.data.artifactId, (artifact) => {
        assertNoRevisionGap(artifact, event, 'artifact');
        return artifact && movedView(artifact, event);
      }),
    ],

    ArtifactDeleted: (event) => [
      ofTracker(event.data.trackerId, changed),
      effect(deletedArtifactViews, event.data.artifactId, (_, lookup) => lookup(artifactViews, event.data.artifactId)),
      ...ofArtifact(event, (artifact) => {
        assertNoRevisionGap(artifact, event, 'artifact');
        return null;
      }),
      // Those of its changes that had a comment.
      ...Array.from({ length: event.revision }, (_, revision) =>
        effect(commentViews, commentId(event.data.artifactId, revision), () => null),
      ),
    ],
  },
};

type Changed = Recorded<Extract<ArtifactEvent, { type: 'ArtifactValuesChanged' }>>;

const hasComment = ({ data: { comment } }: Changed): boolean => comment !== undefined && comment.text !== '';

function commented({ data: { artifactId, trackerId, comment }, revision }: Changed): readonly Effect[] {
  const words = comment === undefined ? null : phraseOf(comment);
  if (words === null) return [];
  const id = commentId(artifactId, revision);
  return [effect(commentViews, id, () => ({ id, trackerId, words }))];
}

type FieldsKnown = Extract<TrackerEvent, { type: 'TrackerDefined' | 'TrackerFieldsChanged' }>;

function fieldsKnown({ data: { trackerId, fields } }: Recorded<FieldsKnown>): readonly Effect[] {
  const known = Object.fromEntries(allFields(fields).map(({ id, type }) => [id, type]));
  return [ofTracker(trackerId, (tracker) => ({ ...tracker, types: { ...tracker.types, ...known } }))];
}

function statusKnown({
  data: { trackerId, semantics },
}: Recorded<Extract<TrackerEvent, { data: { semantics: Semantics } }>>): Effect {
  return ofTracker(trackerId, (tracker) => ({ ...tracker, status: semantics.status ?? null }));
}

function labelsKnown(event: Recorded<Parameters<typeof evolveTrackerLabels>[1]>): Effect {
  return effect(trackerLabels, event.data.trackerId, (tracker) => evolveTrackerLabels(tracker, event));
}

const changed = (tracker: ArtifactTrackerView): ArtifactTrackerView => ({ ...tracker, changes: tracker.changes + 1 });

const unknownTracker = (id: number): ArtifactTrackerView => ({ id, submitted: 0, changes: 0, types: {}, status: null });

function ofTracker(id: number, evolve: (tracker: ArtifactTrackerView) => ArtifactTrackerView): Effect {
  return effect(artifactTrackerViews, id, (tracker) => evolve(tracker ?? unknownTracker(id)));
}

/** The counts of its tracker, then the artifact. The tracker has to be among the effects before. */
function ofArtifact(
  { data: { artifactId, trackerId }, revision }: Recorded<Extract<ArtifactEvent, { data: { trackerId: number } }>>,
  evolve: (artifact: ArtifactDocument | null, tracker: ArtifactTrackerView) => ArtifactDocument | null,
): readonly Effect[] {
  const trackerIn = (lookup: Lookup): ArtifactTrackerView =>
    lookup(artifactTrackerViews, trackerId) ?? unknownTracker(trackerId);
  // Both effects come to the same, one after the other.
  const evolved = lastResult(evolve);
  return [
    effect(trackerCounts, trackerId, (counts, lookup) => {
      const artifact = lookup(artifactViews, artifactId);
      if (artifact !== null && artifact.revision >= revision) return counts;
      const tracker = trackerIn(lookup);
      return recounted(counts, tracker, artifact, evolved(artifact, tracker));
    }),
    effect(artifactViews, artifactId, (artifact, lookup) => evolved(artifact, trackerIn(lookup))),
  ];
}

function lastResult<A, B, Result>(work: (a: A, b: B) => Result): (a: A, b: B) => Result {
  let last: { readonly a: A; readonly b: B; readonly result: Result } | null = null;
  return (a, b) => {
    if (last?.a !== a || last.b !== b) last = { a, b, result: work(a, b) };
    return last.result;
  };
}

function existing(artifact: ArtifactView | null, event: Recorded): ArtifactView {
  if (artifact === null) throw new Error('the artifact was never submitted');
  assertNoRevisionGap(artifact, event, 'artifact');
  return artifact;
}

function asStored(
  artifact: ArtifactView,
  tracker: ArtifactTrackerView,
  before: ArtifactDocument | null,
  hasNewComment = false,
): ArtifactDocument {
  const { values } = artifact;
  // Groups are numbers in a list, as other things are, too.
  const holding = Object.keys(values).filter((id) => numbersOf(values[id]).length > 0);
  return {
    ...artifact,
    limitedBy: holding.filter((id) => isLimiting(tracker.types[id])).map(Number),
    unasked: holding.filter((id) => tracker.types[id] === 'perm').map(Number),
    closedOn: closedOn(artifact, tracker, before),
    ...(hasNewComment ? { isCommented: true } : {}),
  };
}

/** An artifact that only a change of semantics opened is closed anew. */
function closedOn(
  { values, lastUpdateOn }: ArtifactView,
  { status }: ArtifactTrackerView,
  before: ArtifactDocument | null,
): string | null {
  if (isOpen(status, values)) return null;
  const wasClosed = before !== null && !isOpen(status, before.values);
  return (wasClosed ? before.closedOn : null) ?? lastUpdateOn;
}

/** A field of which nothing is known is taken to hold groups. */
const isLimiting = (type: FieldType | undefined): boolean => (type ?? 'perm') === 'perm';
