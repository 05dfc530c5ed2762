import { isDeepStrictEqual } from 'node:util';
import { flatMapInSteps, type Steps } from '../../core/concurrency/others-turn.js';
import { trackerDecider, type TrackerCommand } from '../../trackers/tracker.js';
import { type Field, allFields } from '../../trackers/field-types/definition.js';
import { type Resolver } from './resolver.js';
import { effective, type PlanStep, type Stage } from './plan-step.js';
import { type DesiredProject } from './desired-projects.js';
import { type DesiredTracker } from './desired-trackers.js';
import { narrowedRights, withKnownDefaults } from './narrowing.js';
import { widensFields, widensReports, widensTracker, widensWorkflow, type Form, type Rights } from './widening.js';

export function* trackerSteps(projects: readonly DesiredProject[], resolver: Resolver): Steps<readonly PlanStep[]> {
  const steps: (readonly PlanStep[])[] = [];
  for (const project of projects) steps.push(yield* stepsIn(project, resolver));
  return steps.flat();
}

/** Without a list of trackers in the file none is pruned. */
function* stepsIn(
  { id: projectId, project: { shortname }, trackers }: DesiredProject,
  { present, prune }: Resolver,
): Steps<readonly PlanStep[]> {
  if (trackers === null) return [];
  const listed = new Set(trackers.map(({ id }) => id));
  const dropped = prune ? present.trackersOf(projectId).filter(({ id }) => !listed.has(id)) : [];
  return [
    ...(yield* flatMapInSteps(trackers, (tracker) => stepsFor(tracker, `${shortname}/${tracker.itemName}`))),
    ...dropped.map(({ id: trackerId, view: { itemName } }) =>
      step(
        projectId,
        itemName,
        early([`delete tracker ${shortname}/${itemName}`, { type: 'DeleteTracker', trackerId }]),
      ),
    ),
  ];
}

type Wording = readonly [words: string, command: TrackerCommand, widens?: boolean, stage?: Stage];

function stepsFor(tracker: DesiredTracker, path: string): readonly PlanStep[] {
  const { id: trackerId, present, reports, unfitReports, ...definition } = tracker;
  const { projectId, itemName, label, description, color, fields, semantics, workflow } = definition;
  if (present === undefined) {
    const define: Wording = [`define tracker ${path}`, { type: 'DefineTracker', trackerId, ...definition }];
    const all = reports.length === 0 ? [define] : [define, reportsChange(tracker, path)];
    return all.map((wording) => step(projectId, itemName, late(wording)));
  }
  const unfit = unfitReports.length === 0 ? '' : `; reports that no longer fit: ${unfitReports.join(', ')}`;
  const known = { ...tracker, fields: withKnownDefaults(present.fields, fields) };
  const changes: readonly Wording[] = [
    early(rightsChange(trackerId, path, narrowedRights(present, tracker))),
    [`rename tracker ${path}: ${label}`, { type: 'RenameTracker', trackerId, label, description, color }],
    fieldsChange(present, known, path, unfit),
    [`change the semantics of tracker ${path}${unfit}`, { type: 'ChangeTrackerSemantics', trackerId, semantics }],
    [
      `change the workflow of tracker ${path}`,
      { type: 'ChangeTrackerWorkflow', trackerId, workflow },
      widensWorkflow(present.workflow, workflow),
    ],
    reportsChange(tracker, path),
    late(rightsChange(trackerId, path, tracker, widensTracker(present, tracker))),
    ...(known.fields === fields ? [] : [late(fieldsChange(known, tracker, path))]),
  ];
  return effective(trackerDecider, present, changes).map((wording) => step(projectId, itemName, wording));
}

const early = ([words, command]: Wording): Wording => [words, command, false, 'narrowing'];
const late = ([words, command, widens = false]: Wording): Wording => [words, command, widens, 'widening'];

const rightsChange = (trackerId: number, path: string, { admins, permissions }: Rights, widens = false): Wording => [
  `change who may do what in tracker ${path}`,
  { type: 'ChangeTrackerPermissions', trackerId, admins, permissions },
  widens,
];

const fieldsChange = (before: Form, after: Form & { readonly id: number }, path: string, unfit = ''): Wording => [
  `change the fields of tracker ${path}${fieldWords(before, after.fields)}${unfit}`,
  { type: 'ChangeTrackerFields', trackerId: after.id, fields: after.fields },
  widensFields(before, after),
];

const reportsChange = ({ id: trackerId, present, reports }: DesiredTracker, path: string): Wording => [
  `change the reports of tracker ${path}`,
  { type: 'ChangeTrackerReports', trackerId, reports },
  widensReports(present?.reports ?? [], reports),
];

/** Which fields come, change and go; empty when only their order does. */
function fieldWords(present: Form, desired: readonly Field[]): string {
  const before = new Map(allFields(present.fields).map((field) => [field.id, field]));
  const words = allFields(desired).flatMap((field) => {
    const old = before.get(field.id);
    if (old === undefined) return `new ${field.name}`;
    if (isDeepStrictEqual(withoutInner(old), withoutInner(field))) return [];
    return `${field.used ? 'changed' : 'unused'} ${field.name}`;
  });
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

const withoutInner = (field: Field): Field => ({ ...field, fields: [] });

function step(projectId: number, name: string, wording: Wording): PlanStep {
  const [words, command, widens = false, stage = 'inner'] = wording;
  return { words, widens, stage, of: 'tracker', command, unique: { kind: 'tracker', scope: projectId, name } };
}
