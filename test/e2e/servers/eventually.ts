const EVERY_MS = 30;

/** Waits for a fact that is asked of a server; tells how long that took, in milliseconds. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = 20_000,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > patienceMs) throw new Error(`${what}: not within ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return performance.now() - began;
}
