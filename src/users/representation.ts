import { type UserView } from './user-view.js';

/** One transparent pixel: clients need the address of an image in every user, and the service stores none. */
const NO_AVATAR = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

export const displayName = ({ realName, username }: UserView): string => `${realName} (${username})`;

/** Answers hold the same users many times. What is made is released with the user, who is another object after a change. */
export function madeOnce<Made extends object | string>(make: (user: UserView) => Made): (user: UserView) => Made {
  const known = new WeakMap<UserView, Made>();
  return (user) => {
    let made = known.get(user);
    if (made === undefined) known.set(user, (made = make(user)));
    return made;
  };
}

export const minimalUser = madeOnce((user) => ({
  id: user.id,
  uri: `users/${user.id}`,
  user_url: `/users/${encodeURIComponent(user.username)}`,
  real_name: user.realName,
  display_name: displayName(user),
  username: user.username,
  ldap_id: '',
  avatar_url: NO_AVATAR,
  is_anonymous: false,
  has_avatar: false,
}));

export const fullUser = madeOnce((user) => ({
  ...minimalUser(user),
  email: user.email,
  status: user.status === 'active' ? 'A' : 'S',
}));

/** The part of a viewer that decides between the two forms above. */
export interface UserReader {
  readonly canSeeAddresses: boolean;
}

export const userFor = ({ canSeeAddresses }: UserReader, user: UserView) =>
  canSeeAddresses ? fullUser(user) : minimalUser(user);

/** In place of an unknown user: an anonymous one, or operations. */
export function anonymousUser() {
  return {
    id: null,
    uri: null,
    user_url: null,
    real_name: null,
    display_name: 'Anonymous user',
    username: null,
    ldap_id: null,
    avatar_url: NO_AVATAR,
    is_anonymous: true,
    has_avatar: false,
  };
}

/** As the values of a list hold a user. */
export function userReference(user: UserView) {
  return {
    id: user.id,
    uri: `users/${user.id}`,
    real_name: displayName(user),
    username: user.username,
    avatar_url: NO_AVATAR,
  };
}
