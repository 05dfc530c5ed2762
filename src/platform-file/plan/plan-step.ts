import { type UniqueName } from '../../core/name-reservation.js';
import { type ProjectCommand } from '../../projects/project.js';
import { type PlatformCommand } from '../../platform/platform.js';
import { type TrackerCommand } from '../../trackers/tracker.js';
import { type UserCommand } from '../../users/user.js';

/**
 * One change. What comes with a `unique` name takes that name first, or gives it back. Negative numbers stand for what
 * does not exist yet.
 */
export type PlanStep = {
  readonly words: string;
  /** Whether more people than before may read or write what exists. */
  readonly widens: boolean;
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
export const inWords = ({ words, widens }: PlanStep): string => (widens ? `${words} [widens access]` : words);
