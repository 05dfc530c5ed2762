/** For an operator, where a projection has stopped at an event. */
export function remedyFor(projection: string): string {
  return (
    'restore the event from a backup of the log, or start a release that can apply it; then ' +
    `"tracker-ledger rebuild ${projection}" fills the read models of the projection again`
  );
}
