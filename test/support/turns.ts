/** Counts the turns of the event loop, until it is stopped. */
export function turns(): { readonly count: () => number; readonly stop: () => void } {
  let [count, isOver] = [0, false];
  const next = (): void => {
    count += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return { count: () => count, stop: () => (isOver = true) };
}

/** For how many turns work goes on. */
export async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  const loop = turns();
  try {
    await work();
    return loop.count();
  } finally {
    loop.stop();
  }
}
