import { type AccessKeyVerifier } from './access-keys/verify-access-key.js';
import { Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { viewer, type Viewer } from '../authorization/viewer.js';
import { type Credentials } from './credentials.js';
import { refuseUnlessFollowed } from './follows-users.js';
import { type UnshownChanges } from '../users/unshown-changes.js';
import { suspended, userRequired } from '../users/user-rights.js';
import { type UserView } from '../users/user-view.js';
import { type Tokens } from './tokens/token.js';
import { type Access, type Authenticate, type Caller } from '../http/route.js';
import '../http/state.js';

interface Authentication {
  readonly definitions: Definitions;
  readonly accessKeys: AccessKeyVerifier;
  readonly tokens: Tokens;
  readonly credentials: Credentials;
  /** Absent if no other process changes definitions. */
  readonly definitionsUpToDate?: (() => Promise<void>) | undefined;
  /** False while it may be missed that a user has lost something. */
  readonly followsUsers: () => boolean;
  readonly unshown: UnshownChanges;
}

/** One way to prove who one is: null when the request does not use it. `earlier`: whom it proved for the same request before. */
type Scheme = (caller: Caller, earlier: UserView | null) => UserView | null | Promise<UserView | null>;

/** Bad credentials fail everywhere but on public routes, also where none would have done. */
export function authentication(parts: Authentication): Authenticate<Viewer> {
  const { definitions, definitionsUpToDate } = parts;
  const schemes: readonly Scheme[] = [accessKey(parts), tokenPair(parts), basic(parts)];
  const anonymous = viewer(definitions, null);
  const viewerOf = viewers(definitions);
  const admitAnonymous = (access: Access): Viewer => {
    if (access === 'hybrid' && definitions.platform().anonymousAccess) return anonymous;
    throw userRequired();
  };

  return async (caller, access, earlier = anonymous) => {
    if (definitionsUpToDate !== undefined) await definitionsUpToDate();
    if (access === 'public') return anonymous;
    const user = await firstOf(schemes, caller, earlier.user);
    caller.state.userId = user?.id ?? null;
    if (user === null) return admitAnonymous(access);
    if (user.status === 'suspended') throw suspended();
    return viewerOf(user);
  };
}

/** A user who has not changed stays the same object, and the same viewer with the groups that were looked up for it. */
function viewers(definitions: Definitions): (user: UserView) => Viewer {
  const known = new WeakMap<UserView, Viewer>();
  return (user) => {
    const viewerOfUser = known.get(user) ?? viewer(definitions, user);
    known.set(user, viewerOfUser);
    return viewerOfUser;
  };
}

async function firstOf(schemes: readonly Scheme[], caller: Caller, earlier: UserView | null): Promise<UserView | null> {
  for (const scheme of schemes) {
    const user = await scheme(caller, earlier);
    if (user !== null) return user;
  }
  return null;
}

function accessKey({ accessKeys, followsUsers, unshown }: Authentication): Scheme {
  return (caller) => {
    const identifier = caller.get('X-Auth-AccessKey');
    if (identifier === '') return null;
    refuseUnlessFollowed(followsUsers);
    return unshown.shown(accessKeys.userOf(identifier));
  };
}

/** Half of the pair is none. */
function tokenPair({ tokens, followsUsers, unshown }: Authentication): Scheme {
  return (caller) => {
    const token = caller.get('X-Auth-Token');
    const userId = caller.get('X-Auth-UserId');
    if (token === '' || userId === '') return null;
    refuseUnlessFollowed(followsUsers);
    return unshown.shown(tokens.userOf(token, userId));
  };
}

function basic({ credentials, followsUsers }: Authentication): Scheme {
  return (caller, earlier) => {
    const authorization = caller.get('Authorization').trim();
    if (authorization === '') return null;
    const encoded = /^basic(?:\s+(.*))?$/i.exec(authorization);
    if (encoded === null)
      throw new Problem('bad-credentials', 'Of the schemes of Authorization, only Basic is known here');
    const [, username, password] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(encoded[1] ?? '', 'base64').toString('utf8')) ?? [];
    if (username === undefined || password === undefined) {
      throw new Problem('bad-credentials', 'The credentials are malformed');
    }
    refuseForms(caller);
    refuseUnlessFollowed(followsUsers);
    if (earlier !== null) return credentials.recheck(earlier);
    return credentials.check(username, password, caller.state.address);
  };
}

/** Browsers send other types for pages of other origins only after a preflight, which admits no passwords of theirs. */
const BEYOND_FORMS = /^application\/(?!x-www-form-urlencoded)/i;

/** A browser adds the password by itself, and an Origin to every POST. Programs send no Origin. */
function refuseForms(caller: Caller): void {
  if (caller.method !== 'POST' || caller.get('Origin') === '') return;
  if (BEYOND_FORMS.test(caller.get('Content-Type'))) return;
  throw new Problem(
    'forbidden',
    'POST by a web page with HTTP Basic needs a JSON Content-Type; send "Content-Type: application/json", or a token',
  );
}
