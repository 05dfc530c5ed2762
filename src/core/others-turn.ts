const waiting: (() => void)[] = [];

/**
 * Between slices of long work: lets all else that the thread has to do go first. Of many who wait, one goes on in each
 * turn of the event loop, so that their slices do not add up.
 */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
