/** What a file brings in has no id before a step creates it. In the steps of a plan a negative number stands for it. */
export type IdKind = 'user' | 'project' | 'group' | 'tracker' | 'field' | 'value' | 'transition';

/** As long as an id, so that commands are as long as their events. */
const FIRST = -100_001;

export interface NewThings {
  readonly add: (kind: IdKind) => number;
  readonly kinds: ReadonlyMap<number, IdKind>;
}

export function newThings(): NewThings {
  const kinds = new Map<number, IdKind>();
  const add = (kind: IdKind): number => {
    const newThing = FIRST - kinds.size;
    kinds.set(newThing, kind);
    return newThing;
  };
  return { add, kinds };
}

export const isNewThing = (id: number): boolean => id < 0;

/** Of the numbers in a step only the defaults of fields may be negative without standing for something new. */
const standsForNewThing = (member: string, value: unknown): value is number =>
  typeof value === 'number' && isNewThing(value) && member !== 'default' && member !== 'manual';

/** The step with ids in place of what stands for them. */
export function withIds<Step>(step: Step, idOf: (newThing: number) => number): Step {
  return JSON.parse(JSON.stringify(step), (member, value: unknown) =>
    standsForNewThing(member, value) ? idOf(value) : value,
  ) as Step;
}

/** In the order in which the step names them. */
export function newThingsIn(step: unknown): ReadonlySet<number> {
  const found = new Set<number>();
  JSON.stringify(step, (member, value: unknown) => {
    if (standsForNewThing(member, value)) found.add(value);
    return value;
  });
  return found;
}
