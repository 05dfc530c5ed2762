import { Late } from '../core/concurrency/json-in-turns.js';
import { othersTurn } from '../core/concurrency/others-turn.js';
import { Problem } from '../core/problem.js';
import { inLists } from '../http/json-of-each.js';
import { aroundMember } from '../http/send-json.js';
import { type ProjectView } from '../projects/project-view.js';
import { visibleProject } from '../projects/queries.js';
import { projectReference, userGroups } from '../projects/representation.js';
import { isContainer, type CompiledTracker } from './compiled-tracker.js';
import { fieldRepresentation, fieldTexts, type FieldContext } from './field-representation.js';
import { type Field } from './field-types/definition.js';
import { listedUsers, membersFoundOnce } from './list-representation.js';
import { formTree, semantics, workflow } from './structure.js';
import { type TrackerDefinitions } from './tracker-definitions.js';
import { type TrackerRights } from './tracker-rights.js';

/** What is served below a tracker, in the order in which clients look for it. */
const RESOURCES = [
  { type: 'artifacts', path: 'artifacts' },
  { type: 'reports', path: 'tracker_reports' },
  { type: 'used_artifact_links', path: 'used_artifact_links' },
  { type: 'parent_artifacts', path: 'parent_artifacts' },
];

const uriOf = (tracker: CompiledTracker): string => `trackers/${tracker.id}`;

export function minimalTracker(tracker: CompiledTracker, definitions: TrackerDefinitions) {
  const { label, color } = tracker.view;
  return {
    id: tracker.id,
    uri: uriOf(tracker),
    label,
    color_name: color,
    project: projectReference(projectOf(tracker, definitions)),
    cannot_create_reasons: null,
  };
}

/** As the references to artifacts hold it. */
export function trackerReference(tracker: CompiledTracker, definitions: TrackerDefinitions) {
  const { label, color } = tracker.view;
  const project = projectReference(projectOf(tracker, definitions));
  return { id: tracker.id, uri: uriOf(tracker), label, color, project };
}

/** The whole definition as this viewer may know it, as part of an artifact of which the JSON is made in turns. */
export function trackerStructure(tracker: CompiledTracker, definitions: TrackerDefinitions, viewer: TrackerRights) {
  const { before, elements, context, after } = structureParts(tracker, definitions, viewer);
  const fields = elements.map((field) => new Late(() => fieldOfArtifact(field, context)));
  return { ...before, fields, ...after };
}

/** No workflow hides a fieldset. */
const fieldOfArtifact = (field: Field, context: FieldContext) => ({
  ...fieldRepresentation(field, context),
  ...(field.type === 'fieldset' && { is_hidden: false }),
});

/** In characters: a field beside its values, and one of them. */
const [FIELD_SHOWN, VALUE_SHOWN] = [2000, 350];

/** About how many characters its JSON takes. */
export function structureSize(
  tracker: CompiledTracker,
  definitions: TrackerDefinitions,
  viewer: TrackerRights,
): number {
  const { elements, context } = structureParts(tracker, definitions, viewer);
  const values = elements.map((field) => (listedUsers(field, context) ?? field.values ?? []).length);
  return values.reduce((size, count) => size + FIELD_SHOWN + VALUE_SHOWN * count, 0);
}

interface Reading {
  readonly definitions: TrackerDefinitions;
  readonly viewer: TrackerRights;
  /** Aborts once nobody waits for the answer. */
  readonly gone?: AbortSignal;
}

/**
 * The same as JSON that is made while it is taken, part by part: lists may be long. `visible` is asked before each field,
 * and throws once the viewer may not see the tracker.
 */
export function trackerTexts(visible: () => CompiledTracker, { definitions, viewer, gone }: Reading, prefix = '') {
  const { before, elements, context, after } = structureParts(visible(), definitions, viewer);
  const [open, close] = aroundMember(before, 'fields', after);
  const texts = function* () {
    yield `${prefix}${open}`;
    for (const [nth, field] of elements.entries()) {
      const readable = viewer.readable(visible());
      if (!isContainer(field) && readable.fieldById(field.id) === undefined) throw changedMeanwhile();
      if (nth > 0) yield ',';
      yield* fieldTexts(field, context);
    }
    yield close;
  };
  return inLists(texts(), gone);
}

const changedMeanwhile = (): Problem =>
  new Problem('unavailable', 'What you may see of a tracker changed while it was read; retry later', { retryAfter: 1 });

/** Some of one project, whole, as the JSON of a list. */
export async function* wholeTrackers(trackers: readonly CompiledTracker[], reading: Reading) {
  for (const [nth, tracker] of trackers.entries()) {
    yield* trackerTexts(() => listed(tracker, reading), reading, nth === 0 ? '[' : ',');
    await turnOfOthers(reading);
  }
  yield [trackers.length === 0 ? '[]' : ']'];
}

/** One text for each in its minimal form, with the reasons why the viewer cannot create an artifact in it. */
export async function* minimalTrackers(
  trackers: readonly CompiledTracker[],
  reading: Reading,
  reasonsFor: (tracker: CompiledTracker) => readonly string[],
) {
  for (const each of trackers) {
    const tracker = listed(each, reading);
    const minimal = minimalTracker(tracker, reading.definitions);
    yield [JSON.stringify({ ...minimal, cannot_create_reasons: reasonsFor(tracker) })];
    await turnOfOthers(reading);
  }
}

/** Between two trackers. */
async function turnOfOthers({ gone }: Reading): Promise<void> {
  await othersTurn();
  gone?.throwIfAborted();
}

/** As it is now. */
function listed({ id, view }: CompiledTracker, { definitions, viewer }: Reading): CompiledTracker {
  visibleProject(definitions, viewer, view.projectId);
  const tracker = definitions.tracker(id);
  // The list would be another one now.
  if (tracker === undefined || !viewer.canSeeTracker(tracker)) throw changedMeanwhile();
  return tracker;
}

function structureParts(tracker: CompiledTracker, definitions: TrackerDefinitions, viewer: TrackerRights) {
  const { view } = tracker;
  const project = projectOf(tracker, definitions);
  const context = {
    tracker,
    project,
    definitions,
    viewer,
    membersOf: membersFoundOnce(definitions, project),
    isAdmin: viewer.isTrackerAdmin(tracker),
  };
  const readable = viewer.readable(tracker);
  return {
    before: {
      id: tracker.id,
      uri: uriOf(tracker),
      html_url: `/plugins/tracker/?tracker=${tracker.id}`,
      project: projectReference(project),
      label: view.label,
      description: view.description,
      item_name: view.itemName,
    },
    elements: readable.elements,
    context,
    after: {
      structure: formTree(readable.view.fields),
      semantics: semantics(readable),
      notifications: { enabled: false },
      workflow: workflow(tracker, readable),
      permissions_for_groups: context.isAdmin ? permissionsForGroups(tracker, project) : null,
      parent: null,
      resources: RESOURCES.map(({ type, path }) => ({ type, uri: `${uriOf(tracker)}/${path}` })),
      color_name: view.color,
    },
  };
}

function permissionsForGroups({ view }: CompiledTracker, project: ProjectView) {
  return {
    can_access: userGroups(project, view.permissions.access),
    can_access_submitted_by_user: [],
    can_access_assigned_to_group: [],
    can_access_submitted_by_group: [],
    can_admin: userGroups(project, view.admins.groups),
  };
}

/** Who may see a tracker may see its project, so a missing project is a defect of the definitions. */
function projectOf(tracker: CompiledTracker, definitions: TrackerDefinitions): ProjectView {
  const project = definitions.project(tracker.view.projectId);
  if (project === undefined) throw new Error(`Tracker ${tracker.id} belongs to no known project`);
  return project;
}
