/** The users that a body names: from ids, usernames or addresses, all of one kind, to ids. */
import { type Steps } from '../core/concurrency/others-turn.js';
import { Problem, type Violation } from '../core/problem.js';
import { foldText } from '../core/text/spelling.js';
import { type UserDefinitions } from '../users/user-definitions.js';
import { KINDS, type Kind, type MembersBody, type UserReference } from './schemas.js';

const MAX_VIOLATIONS = 20;

type Find = (given: number | string) => number | undefined;

/** Each once, in the order of the body. One step for each reference and, by address, for each user of the platform. */
export function* namedUsers(body: MembersBody, definitions: UserDefinitions): Steps<readonly number[]> {
  const [references, at] = 'user_references' in body ? [body.user_references, '/user_references'] : [body, ''];
  const kind = kindOf(references, at);
  if (kind === undefined) return [];
  const find = yield* finder(kind, definitions);
  const found = new Set<number>();
  const violations: Violation[] = [];
  for (const [index, { [kind]: given }] of references.entries()) {
    yield;
    const id = find(given ?? '');
    if (id !== undefined) found.add(id);
    else if (violations.length < MAX_VIOLATIONS)
      violations.push({ pointer: `${at}/${index}/${kind}`, message: UNKNOWN });
  }
  if (violations.length === 0) return [...found];
  throw new Problem('invalid', 'Some references name no user, or several; no member was replaced', {
    details: violations,
  });
}

const UNKNOWN = 'must name exactly one user that exists';

const kindsIn = (reference: UserReference): readonly Kind[] =>
  KINDS.filter((kind) => (reference[kind] ?? null) !== null);

/** Undefined for no reference at all. */
function kindOf([first, ...others]: readonly UserReference[], at: string): Kind | undefined {
  if (first === undefined) return undefined;
  const [kind] = kindsIn(first);
  const wrong = [first, ...others].findIndex((reference) => {
    const kinds = kindsIn(reference);
    return kinds.length !== 1 || kinds[0] !== kind;
  });
  if (wrong < 0) return kind;
  throw new Problem('invalid', 'Name all users in the same way: by id, by username or by email', {
    details: [
      {
        pointer: `${at}/${wrong}`,
        message: 'must have one of the members "id", "username" and "email", the same as the first',
      },
    ],
  });
}

function* finder(kind: Kind, definitions: UserDefinitions): Steps<Find> {
  if (kind === 'id') return (given) => definitions.user(Number(given))?.id;
  if (kind === 'username') return (given) => definitions.userNamed(String(given))?.id;
  const byEmail = yield* idsByEmail(definitions);
  return (given) => byEmail.get(foldText(String(given)));
}

/** Undefined is an address that several users have. */
function* idsByEmail(definitions: UserDefinitions): Steps<ReadonlyMap<string, number | undefined>> {
  const ids = new Map<string, number | undefined>();
  for (const { id, email } of definitions.users()) {
    yield;
    const spelling = foldText(email);
    ids.set(spelling, ids.has(spelling) ? undefined : id);
  }
  return ids;
}
