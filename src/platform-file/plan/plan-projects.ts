import { flatMapInSteps, type Steps } from '../../core/concurrency/others-turn.js';
import { type Membership } from '../../projects/project-events.js';
import { projectDecider, type ProjectCommand, type Project } from '../../projects/project.js';
import { type ProjectView } from '../../projects/project-view.js';
import { type Resolver } from './resolver.js';
import { effective, stageOf, type PlanStep, type Stage } from './plan-step.js';
import { narrowedMembership } from './narrowing.js';
import { widensMembership } from './widening.js';
import { type DesiredProject } from './desired-projects.js';

/** Without a list of projects in the file none is pruned. */
export function* projectSteps(
  desired: readonly DesiredProject[],
  isListed: boolean,
  { present, prune }: Resolver,
): Steps<readonly PlanStep[]> {
  const listed = new Set(desired.map(({ id }) => id));
  const dropped = prune && isListed ? present.projects().filter(({ id }) => !listed.has(id)) : [];
  return [
    ...(yield* flatMapInSteps(desired, stepsFor)),
    ...dropped.flatMap((project) => steps(project, project.shortname, [suspension(project.id, project.shortname)])),
  ];
}

type Wording = readonly [words: string, command: ProjectCommand, widens?: boolean, stage?: Stage];

const suspension = (projectId: number, shortname: string): Wording => [
  `suspend project ${shortname}`,
  { type: 'SuspendProject', projectId },
];

function stepsFor({ id: projectId, project, present }: DesiredProject): readonly PlanStep[] {
  const { shortname, label, description, access, svn, status } = project;
  if (present === undefined) return registration(projectId, project);

  return steps(present, shortname, [
    // First, so that nobody reads in a project what changes once it is suspended.
    status === 'suspended'
      ? suspension(projectId, shortname)
      : [`reactivate project ${shortname}`, { type: 'ReactivateProject', projectId }, true],
    [`make project ${shortname} ${access}`, { type: 'ChangeProjectAccess', projectId, access }, access === 'public'],
    membersChange(projectId, shortname, narrowedMembership(present, project)),
    [...membersChange(projectId, shortname, project), widensMembership(present, project), 'widening'],
    [
      `project ${shortname} ${svn ? 'uses' : 'no longer uses'} svn`,
      { type: 'ChangeProjectServices', projectId, svn },
      svn,
    ],
    // Some may read the old words, and not the new ones.
    [`rename project ${shortname}: ${label}`, { type: 'RenameProject', projectId, label, description }, false, 'inner'],
  ]);
}

const membersChange = (projectId: number, shortname: string, { admins, members, groups }: Membership) =>
  [
    `change administrators, members or groups of project ${shortname}`,
    { type: 'ChangeProjectMembers', projectId, admins, members, groups },
  ] as const;

function registration(projectId: number, { status, ...project }: Project): readonly PlanStep[] {
  const { shortname } = project;
  const register: Wording = [
    `register project ${shortname}${status === 'active' ? '' : ', suspended'}`,
    { type: 'RegisterProject', projectId, ...project, ...(status === 'suspended' && { status }) },
    false,
    'widening',
  ];
  return [step(shortname, register)];
}

function steps(present: ProjectView, shortname: string, desired: readonly Wording[]): readonly PlanStep[] {
  return effective(projectDecider, present, desired).map((wording) => step(shortname, wording));
}

function step(name: string, [words, command, widens = false, stage = stageOf(widens)]: Wording): PlanStep {
  return { words, widens, stage, of: 'project', command, unique: { kind: 'project', scope: 0, name } };
}
