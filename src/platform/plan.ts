/** The difference between a file and what the log says, as commands and in words. Pure. */
import { type Directory } from '../directory/directory.js';
import { type Complaint } from './file-error.js';
import { type PlatformFile } from './file-shape.js';
import { projectSteps } from './plan-projects.js';
import { settingsSteps } from './plan-settings.js';
import { trackerSteps } from './plan-trackers.js';
import { userSteps } from './plan-users.js';
import { type IdKind, type Resolver } from './resolver.js';
import { type Step } from './step.js';
import { wantedProjects } from './wanted-projects.js';
import { wantedUsers } from './wanted-users.js';

export interface PlanInput {
  readonly file: PlatformFile;
  readonly present: Directory;
  readonly env: Resolver['env'];
  readonly prune: boolean;
  readonly newId: (kind: IdKind) => number;
  /** Hashes of the passwords that are new, by user name as the file spells it. */
  readonly newPasswords: ReadonlyMap<string, string>;
}

export interface Plan {
  /** Without any, the steps can be taken; with any, they mean nothing. */
  readonly complaints: readonly Complaint[];
  /** In the order in which they have to be taken. */
  readonly steps: readonly Step[];
}

export function plan({ file, present, env, prune, newId, newPasswords }: PlanInput): Plan {
  const complaints: Complaint[] = [];
  const resolver: Resolver = {
    present,
    env,
    prune,
    newId,
    complain: (pointer, message) => {
      complaints.push({ pointer, message });
    },
  };
  const users = wantedUsers(file.users, resolver);
  const projects = wantedProjects(file.projects, users, resolver);
  const steps = [
    ...settingsSteps(file, resolver),
    ...userSteps(users.list, newPasswords, resolver),
    ...projectSteps(projects, resolver),
    ...projects.flatMap((project) => trackerSteps(project, resolver)),
  ];
  return { complaints, steps };
}
