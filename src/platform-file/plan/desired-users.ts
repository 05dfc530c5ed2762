import { flatMapInSteps, type Steps } from '../../core/concurrency/others-turn.js';
import { foldText } from '../../core/text/spelling.js';
import { type UserView } from '../../users/user-view.js';
import { DEFAULTS } from '../format/defaults.js';
import { type UserEntry } from '../format/platform-schema.js';
import { desired } from './member.js';
import { refuseDuplicates, refuseFaultyLabel, type Resolver } from './resolver.js';

export interface DesiredUser {
  readonly id: number;
  readonly entry: UserEntry;
  readonly siteAdmin: boolean;
  readonly status: UserView['status'];
  readonly present: UserView | undefined;
  /** Undefined: the present one stays. */
  readonly password: string | undefined;
}

export interface DesiredUsers {
  readonly list: readonly DesiredUser[];
  /** Of the file or of the platform. */
  readonly idOf: (username: string) => number | undefined;
}

export function* desiredUsers(entries: readonly UserEntry[], resolver: Resolver): Steps<DesiredUsers> {
  const { present, complain } = resolver;
  refuseDuplicates(
    entries.map(({ username }) => foldText(username)),
    (index) => `/users/${index}/username`,
    complain,
  );
  const list = yield* flatMapInSteps(entries, (entry, index) => [desiredUser(entry, `/users/${index}`, resolver)]);
  const ids = new Map(list.map(({ id, entry }) => [foldText(entry.username), id]));
  return { list, idOf: (username) => ids.get(foldText(username)) ?? present.userNamed(username)?.id };
}

function desiredUser(entry: UserEntry, pointer: string, resolver: Resolver): DesiredUser {
  const present = resolver.present.userNamed(entry.username);
  const known: Partial<UserView> = present ?? {};
  if (present !== undefined && present.username !== entry.username) {
    resolver.complain(`${pointer}/username`, `is registered as ${present.username} and keeps that spelling`);
  }
  refuseFaultyLabel(entry.real_name, known.realName, `${pointer}/real_name`, resolver);
  refuseFaultyLabel(entry.email, known.email, `${pointer}/email`, resolver);
  const password = passwordOf(entry, pointer, present, resolver);
  if (present === undefined && entry.password === undefined && entry.password_env === undefined) {
    resolver.complain(pointer, 'is a new user, who needs a password or a password_env');
  }
  return {
    id: known.id ?? resolver.newId('user'),
    entry,
    siteAdmin: desired(entry.site_admin, known.siteAdmin, DEFAULTS.siteAdmin),
    status: desired(entry.status, known.status, DEFAULTS.status),
    present,
    password,
  };
}

function passwordOf(
  entry: UserEntry,
  pointer: string,
  present: UserView | undefined,
  resolver: Resolver,
): string | undefined {
  const password = statedPassword(entry, pointer, resolver);
  const isPresent = present !== undefined && resolver.presentPasswords.get(entry.username) === present.passwordHash;
  return isPresent ? undefined : password;
}

function statedPassword(entry: UserEntry, pointer: string, { env, complain }: Resolver): string | undefined {
  const { password_env: variable } = entry;
  const password = passwordIn(entry, env);
  if (variable === undefined) return password;
  if (entry.password !== undefined) {
    complain(`${pointer}/password_env`, 'stands beside a password: one of them is enough');
  }
  if (password === undefined || password === '') {
    complain(`${pointer}/password_env`, `names a variable that is not set${shownVariable(variable)}`);
  }
  return password;
}

/** What does not look like a variable may be a password in the wrong member. */
const shownVariable = (variable: string): string =>
  /^[A-Z_][A-Z0-9_]*$/.test(variable) ? `: ${variable}` : '; the value is not shown';

export function passwordIn({ password, password_env: variable }: UserEntry, env: Resolver['env']): string | undefined {
  if (variable === undefined) return password;
  return Object.hasOwn(env, variable) ? env[variable] : undefined;
}
