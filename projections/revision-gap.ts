import { type Recorded, type Revision } from '../src/core/event-log.js';

/** An event that skips a revision of its document's stream means that something of the log was not delivered. */
export function assertNoRevisionGap(
  document: { readonly revision: Revision } | null,
  event: Recorded,
  what: string,
): void {
  if (document === null || document.revision === event.revision - 1) return;
  throw new Error(`the ${what} is at revision ${document.revision}, a revision between is missing`);
}
