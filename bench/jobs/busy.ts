interface BusyInput {
  readonly seconds: number;
}

/** Keeps a processor at work. */
export function busy({ seconds }: BusyInput): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let count = 0;
  while (performance.now() < until) count += 1;
  return Promise.resolve(count);
}
