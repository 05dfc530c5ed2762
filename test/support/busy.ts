/** Without a pause, in milliseconds. */
export function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
