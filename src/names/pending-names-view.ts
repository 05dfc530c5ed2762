import { type UniqueName } from '../core/name-reservation.js';
import { type Document, type ReadModel } from '../core/read-models.js';

/** A name that is taken while what bears it does not exist: not yet (`create`), or no more (`release`). */
export interface PendingNameView extends UniqueName, Document {
  readonly id: string;
  /** Id of the user, project, tracker or repository. */
  readonly bearer: number;
  readonly step: 'create' | 'release';
  readonly actor: number | null;
  /** Since when. */
  readonly at: string;
}

export const PENDING_NAMES = 'pending-names';

export const pendingNamesViews: ReadModel<PendingNameView> = { name: PENDING_NAMES };

export const pendingNameId = (kind: UniqueName['kind'], bearer: number): string => `${kind}-${bearer}`;
