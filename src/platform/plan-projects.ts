import { projectDecider, type ProjectCommand } from '../projects/project-decider.js';
import { type Membership } from '../projects/project.js';
import { type ProjectView } from '../projects/project-view.js';
import { type ProjectEntry } from './file-shape.js';
import { type Resolver } from './resolver.js';
import { type Step } from './step.js';
import { type WantedProject } from './wanted-projects.js';

export function projectSteps(wanted: readonly WantedProject[], { present, prune }: Resolver): readonly Step[] {
  const listed = new Set(wanted.map(({ id }) => id));
  const dropped = prune ? present.projects().filter(({ id }) => !listed.has(id)) : [];
  return [
    ...wanted.flatMap(stepsFor),
    ...dropped.flatMap((project) => steps(project, project.shortname, [suspension(project.id, project.shortname)])),
  ];
}

type Wording = readonly [words: string, command: ProjectCommand];

const suspension = (projectId: number, shortname: string): Wording => [
  `suspend project ${shortname}`,
  { type: 'SuspendProject', projectId },
];

function stepsFor({ id: projectId, entry, present, admins, members, groups }: WantedProject): readonly Step[] {
  const membership: Membership = { admins, members, groups };
  if (present === undefined) return registration(projectId, entry, membership);

  const { shortname, label, description, access, svn, status } = entry;
  return steps(present, shortname, [
    [`rename project ${shortname}: ${label}`, { type: 'RenameProject', projectId, label, description }],
    [`make project ${shortname} ${access}`, { type: 'ChangeProjectAccess', projectId, access }],
    [
      `change administrators, members or groups of project ${shortname}`,
      { type: 'ChangeProjectMembers', projectId, ...membership },
    ],
    [`project ${shortname} ${svn ? 'uses' : 'no longer uses'} svn`, { type: 'ChangeProjectServices', projectId, svn }],
    status === 'suspended'
      ? suspension(projectId, shortname)
      : [`reactivate project ${shortname}`, { type: 'ReactivateProject', projectId }],
  ]);
}

function registration(projectId: number, entry: ProjectEntry, membership: Membership): readonly Step[] {
  const { shortname, label, description, access, svn, status } = entry;
  const register: Wording = [
    `register project ${shortname}`,
    { type: 'RegisterProject', projectId, shortname, label, description, access, svn, ...membership },
  ];
  const all = status === 'active' ? [register] : [register, suspension(projectId, shortname)];
  return all.map((wording) => step(shortname, wording));
}

/** Without those that have nothing left to do. */
function steps(present: ProjectView, shortname: string, wanted: readonly Wording[]): readonly Step[] {
  return wanted
    .filter(([, command]) => projectDecider.decide(command, present).length > 0)
    .map((wording) => step(shortname, wording));
}

function step(name: string, [words, command]: Wording): Step {
  return { words, of: 'project', command, unique: { kind: 'project', scope: 0, name } };
}
