/** The difference between a file and the log, as commands and in words. Pure, in steps of some milliseconds. */
import { flatMapInSteps, type Steps } from '../../core/concurrency/others-turn.js';
import { jsonBytes, MAX_EVENT_BYTES, RESERVED_BYTES } from '../../core/bounds.js';
import { type Definitions } from '../../definitions/definitions.js';
import { cut, type Complaint } from '../format/file-error.js';
import { type PlatformFile } from '../format/platform-schema.js';
import { projectSteps } from './plan-projects.js';
import { linkType, settingsSteps } from './plan-settings.js';
import { trackerSteps } from './plan-trackers.js';
import { userSteps } from './plan-users.js';
import { newThings, type IdKind } from './new-things.js';
import { type Resolver } from './resolver.js';
import { STAGES, type PlanStep } from './plan-step.js';
import { desiredProjects } from './desired-projects.js';
import { desiredUsers } from './desired-users.js';

export interface PlanInput {
  readonly file: PlatformFile;
  readonly present: Definitions;
  readonly presentPasswords: Resolver['presentPasswords'];
  readonly env: Resolver['env'];
  readonly prune: boolean;
  /** Lets pruning suspend the last site administrator. */
  readonly force?: boolean;
}

export interface Plan {
  /** Without any, the steps can be taken; with any, they mean nothing. */
  readonly complaints: readonly Complaint[];
  /** In the order in which they have to be taken. */
  readonly steps: readonly PlanStep[];
  /** Kinds of what the file brings in, by the numbers that stand for it in the steps. */
  readonly newThings: ReadonlyMap<number, IdKind>;
}

export function* plan({ file, present, presentPasswords, env, prune, force = false }: PlanInput): Steps<Plan> {
  const { add: newId, kinds } = newThings();
  const complaints: Complaint[] = [];
  const resolver: Resolver = {
    present,
    queried: withLinkTypes(present, file),
    presentPasswords,
    env,
    prune,
    force,
    newId,
    complain: (pointer, message) => {
      complaints.push({ pointer, message: cut(message) });
    },
  };
  const users = yield* desiredUsers(file.users ?? [], resolver);
  const projects = yield* desiredProjects(file.projects ?? [], users, resolver);
  const steps = [
    ...settingsSteps(file, resolver),
    ...(yield* userSteps(users.list, file.users !== undefined, resolver)),
    ...(yield* projectSteps(projects, file.projects !== undefined, resolver)),
    // They are judged by the rules of trackers, which stop at the first thing that is wrong.
    ...(complaints.length > 0 ? [] : yield* trackerSteps(projects, resolver)),
  ];
  const tooLarge = yield* flatMapInSteps(steps, oversized);
  return { complaints: [...complaints, ...tooLarge], steps: inOrder(steps), newThings: kinds };
}

function withLinkTypes(present: Definitions, { artifact_link_types: types = [] }: PlatformFile): Definitions {
  const platform = present.platform();
  return { ...present, platform: () => ({ ...platform, linkTypes: [...platform.linkTypes, ...types.map(linkType)] }) };
}

const inOrder = (steps: readonly PlanStep[]): readonly PlanStep[] =>
  STAGES.flatMap((stage) => steps.filter((step) => step.stage === stage));

/** What the log will refuse is refused before the first step is taken. */
function oversized({ words, command }: PlanStep): readonly Complaint[] {
  if (jsonBytes(command) <= MAX_EVENT_BYTES - RESERVED_BYTES) return [];
  return [{ pointer: '', message: `${cut(words)}: takes more than ${MAX_EVENT_BYTES} bytes as it is stored` }];
}
