import { Problem } from '../../core/problem.js';
import { type AccessKey } from '../../users/access-key.js';
import { type UserView } from '../../users/user-view.js';

/** By id. `userId`: as a path names the user, in digits or as `self`. */
export function ownKeys({ id, accessKeys }: UserView, userId: string): readonly AccessKey[] {
  if (userId !== 'self' && Number(userId) !== id)
    throw new Problem('forbidden', 'These access keys belong to another user');
  return accessKeys.toSorted((a, b) => a.id - b.id);
}

export function ownKey({ accessKeys }: UserView, wanted: number | undefined): AccessKey {
  const key = accessKeys.find(({ id }) => id === wanted);
  if (key === undefined) throw new Problem('not-found', 'You have no access key with this id');
  return key;
}
