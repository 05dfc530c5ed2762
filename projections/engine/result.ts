type Result<T> = { readonly failed: false; readonly value: T } | { readonly failed: true; readonly reason: unknown };

/** What it throws is an outcome like any other. */
export function resultOf<T>(work: () => T): Result<T> {
  try {
    return { failed: false, value: work() };
  } catch (reason) {
    return { failed: true, reason };
  }
}
