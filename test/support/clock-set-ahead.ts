/** Does the work while the clock of the machine is set ahead again and again: by an hour each time that it is read. */
export async function whileClockIsSetAhead<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  let hours = 0;
  Date.now = () => now() + 3_600_000 * (hours += 1);
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}
