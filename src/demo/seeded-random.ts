/** Chance that falls the same way every time: for demo data, not for secrets. */
export interface SeededRandom {
  /** From 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly oneOf: <T>(choices: readonly [T, ...T[]]) => T;
  /** True about once in `n`. */
  readonly onceIn: (n: number) => boolean;
}

/** A linear congruential generator; of its state only the upper half is random enough to be used. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  return {
    below,
    oneOf: (choices) => choices[below(choices.length)] ?? choices[0],
    onceIn: (n) => below(n) === 0,
  };
}
