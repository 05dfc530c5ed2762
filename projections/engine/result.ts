type Attempt<T> = { readonly failed: false; readonly result: T } | { readonly failed: true; readonly reason: unknown };

/** What it throws is an outcome like any other. */
export function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { failed: false, result: work() };
  } catch (reason) {
    return { failed: true, reason };
  }
}
