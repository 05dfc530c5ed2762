/** aid, atid, subon, subby, lud, luby: what the service fills in itself. */
import { type Viewer } from '../../authorization/viewer.js';
import { type Definitions } from '../../definitions/definitions.js';
import { anonymousUser, userFor } from '../../users/representation.js';
import { type NumberType, type StampType } from '../../trackers/field-types/read-only-types.js';
import { type ArtifactView } from '../artifact-view.js';
import { isoDate } from './dates.js';
import { NOTHING, type Parse } from './field-input.js';

/** Passed over where a client sends back what it has read; a number in its tracker is not known here, so any will do. */
export const refuseNumber: Parse<never> = ({ type }, { value }, { refuse, artifact }) => {
  const isAsRead = artifact !== undefined && (type === 'atid' || value === artifact.id);
  return value === undefined || isAsRead ? NOTHING : refuse('/value', 'is read-only');
};

/** Clients that send back what they have read must not fail over who and when. */
export const ignore: Parse<never> = () => NOTHING;

interface StampContext {
  readonly definitions: Definitions;
  readonly viewer: Viewer;
}

export const numberIn = (type: NumberType, artifact: ArtifactView): number =>
  type === 'aid' ? artifact.id : artifact.atid;

export function stampIn(type: StampType, artifact: ArtifactView, context: StampContext): string | object {
  switch (type) {
    case 'subon':
      return isoDate(artifact.submittedOn);
    case 'lud':
      return isoDate(artifact.lastUpdateOn);
    case 'subby':
      return userOf(artifact.submittedBy, context);
    case 'luby':
      return userOf(artifact.lastUpdateBy, context);
  }
}

function userOf(id: number | null, { definitions, viewer }: StampContext): object {
  const user = id === null ? undefined : definitions.user(id);
  return user === undefined ? anonymousUser() : userFor(viewer, user);
}
