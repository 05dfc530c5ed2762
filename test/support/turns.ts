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
