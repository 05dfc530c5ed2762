/** Who an access key speaks for. A file of its own because authentication asks, on every route. */
import { type Clock } from '../../core/clock.js';
import { Problem } from '../../core/problem.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type UserView } from '../../users/user-view.js';
import { type AccessKey } from '../../users/access-key.js';
import { isSecretOf, parseIdentifier } from './identifier.js';

export interface AccessKeyVerifier {
  /** The user whose key it is, suspended or not; else a Problem. */
  userOf(identifier: string): UserView;
}

export interface AccessKeyVerifierOptions {
  readonly definitions: Definitions;
  readonly clock: Clock;
  /** Told of each use; must not throw. */
  readonly used: (user: UserView, key: AccessKey) => void;
}

export function accessKeyVerifier({ definitions, clock, used }: AccessKeyVerifierOptions): AccessKeyVerifier {
  return {
    userOf: (text) => {
      const found = keyIn(text, definitions);
      // One answer for all faults of a key, so that it reveals none.
      if (found === null) throw new Problem('bad-credentials', 'The access key is not valid');
      const { user, key } = found;
      // Of an expired token alone the contract says 401; every other credential that is no good is a bad one.
      if (key.expiresAt !== null && clock() >= new Date(key.expiresAt)) {
        throw new Problem('bad-credentials', 'The access key has expired');
      }
      if (user.status === 'active') used(user, key);
      return user;
    },
  };
}

interface KeyOfUser {
  readonly user: UserView;
  readonly key: AccessKey;
}

/** Null unless the secret belongs to a user's key. */
function keyIn(text: string, definitions: Definitions): KeyOfUser | null {
  const identifier = parseIdentifier(text);
  if (identifier === null) return null;
  const { accessKeyId, secret } = identifier;
  const user = definitions.userWithAccessKey(accessKeyId);
  const key = user?.accessKeys.find(({ id }) => id === accessKeyId);
  const isGood = user !== undefined && key !== undefined && isSecretOf(secret, key.secretHash);
  return isGood ? { user, key } : null;
}
