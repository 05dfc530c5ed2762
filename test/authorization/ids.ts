import { isOnTheSide, NAMES, type Group } from './world.js';

/** Of one world; every world has numbers of its own. */
export interface Ids {
  readonly project: (side: boolean) => number;
  readonly testers: (side: boolean) => number;
  readonly tracker: (index: number) => number;
  readonly field: (tracker: number, name: string) => number;
  readonly value: (tracker: number, list: List, value: number) => number;
  readonly report: (tracker: number, isPublic: boolean) => number;
  readonly group: (tracker: number, group: Group) => number;
}

/** Names of the static lists: all of them hold two values, and the state a third one. */
export const LISTS = ['state', 'kind', 'marks', 'tags'] as const;
export type List = (typeof LISTS)[number];

export function idsOf(turn: number): Ids {
  const base = 10_000 + turn * 200;
  const testers = (side: boolean): number => base + 4 + Number(side);
  return {
    project: (side) => base + Number(side),
    testers,
    tracker: (index) => base + 10 + index,
    field: (tracker, name) => base + 40 * (tracker + 1) + NAMES.indexOf(name),
    value: (tracker, list, value) => base + 160 + 12 * tracker + 3 * LISTS.indexOf(list) + value,
    report: (tracker, isPublic) => base + 20 + 2 * tracker + Number(isPublic),
    group: (tracker, group) =>
      ({ all: 1, registered: 2, members: 3, admins: 4, testers: testers(isOnTheSide(tracker)) })[group],
  };
}

/** In every label, name and title: what a reader may not see must be nowhere in an answer. */
export const label = (...parts: readonly (string | number)[]): string => `zq-${parts.join('-')}-qz`;
