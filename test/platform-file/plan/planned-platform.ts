/** A platform in memory: what plans are made on, and what their steps make of it. */
import { expect } from 'chai';
import { type Definitions } from '../../../src/definitions/definitions.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { type PlatformFile } from '../../../src/platform-file/format/platform-schema.js';
import { withIds } from '../../../src/platform-file/plan/new-things.js';
import { plan, type Plan } from '../../../src/platform-file/plan/plan.js';
import { type PlanStep } from '../../../src/platform-file/plan/plan-step.js';
import { projectDecider, type Project } from '../../../src/projects/project.js';
import { DEFAULT_PLATFORM, platformDecider, type Platform } from '../../../src/platform/platform.js';
import { compileTracker } from '../../../src/trackers/compiled-tracker.js';
import { trackerDecider, type Tracker } from '../../../src/trackers/tracker.js';
import { userDecider, type UserState } from '../../../src/users/user.js';
import { type Decider } from '../../../src/core/decider.js';
import { type Event } from '../../../src/core/event-log.js';
import { definitionsOf } from '../../support/definitions.js';
import { whole } from '../../support/whole.js';

export interface PlannedPlatform {
  readonly platform: Platform;
  readonly users: ReadonlyMap<number, UserState>;
  readonly projects: ReadonlyMap<number, Project>;
  readonly trackers: ReadonlyMap<number, Tracker>;
  readonly lastId: number;
}

export const EMPTY_PLATFORM: PlannedPlatform = {
  platform: DEFAULT_PLATFORM,
  users: new Map(),
  projects: new Map(),
  trackers: new Map(),
  lastId: 100,
};

export interface Applied extends Plan {
  /** After each step. */
  readonly states: readonly PlannedPlatform[];
  readonly after: PlannedPlatform;
}

export function applied(
  before: PlannedPlatform,
  file: PlatformFile,
  given: { readonly prune?: boolean; readonly force?: boolean } = {},
): Applied {
  const made = whole(
    plan({
      file,
      present: definitionsIn(before),
      presentPasswords: new Map(),
      env: {},
      prune: false,
      ...given,
    }),
  );
  if (made.complaints.length > 0) return { ...made, states: [], after: before };
  const newThings = [...made.newThings.keys()];
  const idOf = (newThing: number): number => before.lastId + 1 + newThings.indexOf(newThing);
  let state: PlannedPlatform = { ...before, lastId: before.lastId + newThings.length };
  const states = made.steps.map((step) => (state = taken(state, withIds(step, idOf))));
  return { ...made, states, after: state };
}

/** Plans files, and carries out those without mistakes: upon this platform, unless another one is given. */
export function planningUpon(usual: PlannedPlatform) {
  const planned = (text: string, before = usual) => {
    const { complaints, after, steps } = applied(before, parsePlatformFile(text).file);
    return { mistakes: complaints.map(({ pointer, message }) => `${pointer} ${message}`), after, steps };
  };
  const after = (text: string, before?: PlannedPlatform): PlannedPlatform => {
    const result = planned(text, before);
    expect(result.mistakes).to.deep.equal([]);
    return result.after;
  };
  return { planned, after };
}

export function definitionsIn({ platform, users, projects, trackers }: PlannedPlatform): Definitions {
  return definitionsOf({
    users: [...users].map(([id, user]) => ({ ...user, id, revokedTokens: [] })),
    projects: [...projects].map(([id, project]) => ({ ...project, id, revision: 0 })),
    trackers: [...trackers].map(([id, tracker]) => compileTracker({ ...tracker, id, revision: 0 })),
    platform,
  });
}

function taken(platform: PlannedPlatform, step: PlanStep): PlannedPlatform {
  switch (step.of) {
    case 'platform':
      return { ...platform, platform: evolved(platformDecider, platform.platform, step.command) };
    case 'user':
      return { ...platform, users: changed(userDecider, platform.users, step.command.userId, step.command) };
    case 'project': {
      const { projectId } = step.command;
      return { ...platform, projects: changed(projectDecider, platform.projects, projectId, step.command) };
    }
    case 'tracker': {
      const { trackerId } = step.command;
      return { ...platform, trackers: changed(trackerDecider, platform.trackers, trackerId, step.command) };
    }
  }
}

type AnyEvent = Event;

function evolved<State, Command, E extends AnyEvent>(
  decider: Decider<State, Command, E>,
  state: State,
  command: Command,
): State {
  return decider.decide(command, state).reduce((before, event) => decider.evolve(before, event), state);
}

function changed<State, Command, E extends AnyEvent>(
  decider: Decider<State | null, Command, E>,
  states: ReadonlyMap<number, State>,
  id: number,
  command: Command,
): ReadonlyMap<number, State> {
  const state = evolved(decider, states.get(id) ?? null, command);
  return state === null ? states : new Map([...states, [id, state]]);
}
