/** What the GET routes of users answer, apart from HTTP. */
import { invalidAt, invalidIn, Problem } from '../core/problem.js';
import { foldText } from '../core/text/spelling.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { displayName } from './representation.js';
import { type UserDefinitions } from './user-definitions.js';
import { type UserRights } from './user-rights.js';
import { type UserView } from './user-view.js';

/** `id`: a number, or `self` for who asks. */
export function requestedUser(definitions: UserDefinitions, viewer: UserRights, id: string): UserView {
  if (id === 'self') {
    if (viewer.user === null) throw new Problem('unauthenticated', 'Sign in to see your own user');
    return viewer.user;
  }
  const user = definitions.currentUser(Number(id));
  if (user === undefined) throw new Problem('not-found', 'This user does not exist');
  return user;
}

type Matches = (user: UserView) => boolean;

/** By the user name, the email address, which every signed-in reader may search for, or the display name. */
export function isIdentifiedBy(identifier: string): Matches {
  const isMeant = isSpelt(identifier);
  return (user) => [user.username, user.email, displayName(user)].some(isMeant);
}

/** Whether a text is the same, apart from case. */
function isSpelt(text: string): (other: string) => boolean {
  const folded = foldText(text);
  return (other) => foldText(other) === folded;
}

const EXACT: ReadonlyMap<string, (user: UserView) => string> = new Map([
  ['username', ({ username }: UserView) => username],
  ['loginname', ({ username }: UserView) => username],
  ['email', ({ email }: UserView) => email],
]);

/** By username, active ones only. A text is looked for in both names, an object names one user. */
export function searchUsers(definitions: UserDefinitions, query: string): readonly UserView[] {
  const matches = query.trimStart().startsWith('{') ? isNamed(query) : hasInName(query);
  return definitions
    .users()
    .filter((user) => user.status === 'active' && matches(user))
    .sort((a, b) => (a.username < b.username ? -1 : Number(a.username > b.username)));
}

/** Shorter texts would list all users. */
const MIN_LENGTH = 3;

function hasInName(query: string): Matches {
  const text = foldText(query.trim());
  if (Array.from(text).length < MIN_LENGTH) {
    throw invalidAt('query', `must have at least ${MIN_LENGTH} characters`);
  }
  return ({ realName, username }) => foldText(realName).includes(text) || foldText(username).includes(text);
}

function isNamed(query: string): Matches {
  const members = [...jsonObjectParameter('query', query)];
  const [key, value] = members[0] ?? [];
  const memberOf = EXACT.get(key ?? '');
  if (members.length !== 1 || memberOf === undefined || typeof value !== 'string') {
    throw invalidIn('query', `query names one of ${[...EXACT.keys()].join(', ')}, and a text`);
  }
  const isMeant = isSpelt(value);
  return (user) => isMeant(memberOf(user));
}
