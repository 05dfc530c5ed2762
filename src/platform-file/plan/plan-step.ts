import { type Decider } from '../../core/decider.js';
import { type Event } from '../../core/event-log.js';
import { type UniqueName } from '../../core/name-reservation.js';
import { type ProjectCommand } from '../../projects/project.js';
import { type PlatformCommand } from '../../platform/platform.js';
import { type TrackerCommand } from '../../trackers/tracker.js';
import { type UserCommand } from '../../users/user.js';

/**
 * In this order, each visible before the next: what takes rights away; what changes within a project or tracker, to which
 * nobody has more rights by then than before and after; what gives rights, and brings in users, projects and trackers.
 */
export const STAGES = ['narrowing', 'inner', 'widening'] as const;
export type Stage = (typeof STAGES)[number];

/** What shuts nobody out narrows nothing either, and may come first. */
export const stageOf = (widens: boolean): Stage => (widens ? 'widening' : 'narrowing');

/**
 * One change. What comes with a `unique` name takes that name first, or gives it back. Negative numbers stand for what
 * does not exist yet.
 */
export type PlanStep = {
  readonly words: string;
  /** Whether more people than before may read or write what exists. */
  readonly widens: boolean;
  readonly stage: Stage;
} & (
  | { readonly of: 'platform'; readonly command: PlatformCommand }
  | {
      readonly of: 'user';
      readonly command: UserCommand;
      /** To be hashed into the command. */
      readonly password: string | undefined;
      readonly unique: UniqueName;
    }
  | { readonly of: 'project'; readonly command: ProjectCommand; readonly unique: UniqueName }
  | { readonly of: 'tracker'; readonly command: TrackerCommand; readonly unique: UniqueName }
);

/** The mark is part of the words wherever operators read them. */
export const inWords = ({ words, widens }: Pick<PlanStep, 'words' | 'widens'>): string =>
  widens ? `${words} [widens access]` : words;

/** The changes without those that have nothing left to do after the ones before them. */
export function effective<State, Command, E extends Event, Change extends { readonly 1: Command }>(
  decider: Decider<State, Command, E>,
  present: State,
  changes: readonly Change[],
): readonly Change[] {
  let state = present;
  return changes.filter(({ 1: command }) => {
    const events = decider.decide(command, state);
    state = events.reduce((before, event) => decider.evolve(before, event), state);
    return events.length > 0;
  });
}
