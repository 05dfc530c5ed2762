/** The rules of a user. A file of its own because the read model folds the same events. */
import { isDeepStrictEqual } from 'node:util';
import {
  decideAccessKey,
  evolveAccessKeys,
  isForAccessKey,
  isOfAccessKey,
  type AccessKey,
  type AccessKeyCommand,
} from './access-key.js';
import { type AccessKeyEvent } from './access-key-events.js';
import { MAX_REVOKED_TOKENS } from '../core/bounds.js';
import { type Decider } from '../core/decider.js';
import { NO_STREAM, type Revision } from '../core/event-log.js';
import { Problem } from '../core/problem.js';
import { remembered, rememberedBeside, revocation, type Revocation, type RevokedToken } from './revocations.js';
import { type UserEvent } from './user-events.js';

type Registration = Readonly<Omit<Extract<UserEvent, { type: 'UserRegistered' }>['data'], 'userId'>>;

export type UserCommand =
  | AccessKeyCommand
  | (Registration & { readonly type: 'RegisterUser'; readonly userId: number; readonly status?: 'suspended' })
  | { readonly type: 'RenameUser'; readonly userId: number; readonly realName: string; readonly email: string }
  | { readonly type: 'ChangeRole'; readonly userId: number; readonly siteAdmin: boolean }
  | { readonly type: 'ChangePassword'; readonly userId: number; readonly passwordHash: string }
  | { readonly type: 'SuspendUser'; readonly userId: number }
  | { readonly type: 'ReactivateUser'; readonly userId: number }
  | { readonly type: 'RevokeToken'; readonly userId: number; readonly tokenId: string; readonly expiresAt: string }
  | { readonly type: 'RevokeAllTokens'; readonly userId: number };

/** As the read models show it, with its id and revision. */
export interface User extends Registration {
  readonly status: 'active' | 'suspended';
  /** Tokens issued at an earlier revision of the stream are dead. */
  readonly tokensValidFrom: Revision;
  readonly revokedTokens: readonly RevokedToken[];
  /** Oldest first, expired ones too, until they are revoked. */
  readonly accessKeys: readonly AccessKey[];
}

export interface UserState extends Omit<User, 'revokedTokens'> {
  readonly revision: Revision;
  /** The last one. */
  readonly revocations: Revocation | null;
}

/** Stands for the revocations of the state, where an event leaves them as they are. */
const UNCHANGED: User['revokedTokens'] = [];

export const userDecider: Decider<UserState | null, UserCommand, UserEvent> = {
  initialState: null,

  decide(command, user) {
    if (command.type === 'RegisterUser') return register(command, user);
    if (user === null) throw new Problem('not-found', 'No such user');
    if (isForAccessKey(command)) return decideAccessKey(command, user.accessKeys);
    const { revocations, ...others } = user;
    return change(command, { ...others, revokedTokens: remembered(revocations) });
  },

  evolve(user, event) {
    const revision = (user?.revision ?? NO_STREAM) + 1;
    if (event.type !== 'TokenRevoked') return evolvedOtherwise(user, event, revision);
    const { tokenId: id, expiresAt } = event.data;
    return user && { ...user, revision, revocations: revocation({ id, expiresAt }, user.revocations) };
  },
};

function evolvedOtherwise(user: UserState | null, event: UserEvent, revision: Revision): UserState | null {
  const evolved = evolveUser(user && { ...user, revokedTokens: UNCHANGED }, event, revision);
  if (evolved === null) return null;
  const { revokedTokens, ...others } = evolved;
  const revocations = revokedTokens === UNCHANGED ? (user?.revocations ?? null) : null;
  return { ...others, revision, revocations };
}

/** Instants of events decide nothing here: they may be ahead of time, and a revocation forgotten early would be undone. */
export function evolveUser(user: User | null, event: UserEvent, revision: Revision): User | null {
  if (event.type === 'UserRegistered') return newUser(event.data);
  if (isOfAccessKey(event)) return user && { ...user, accessKeys: evolveAccessKeys(user.accessKeys, event) };
  return user && { ...user, ...changed(user, event, revision) };
}

function changed(
  { revokedTokens }: User,
  { type, data }: Exclude<UserEvent, AccessKeyEvent | { type: 'UserRegistered' }>,
  revision: Revision,
): Partial<User> {
  switch (type) {
    case 'UserRenamed':
      return { realName: data.realName, email: data.email };
    case 'UserRoleChanged':
      return { siteAdmin: data.siteAdmin };
    case 'UserPasswordChanged':
      return { passwordHash: data.passwordHash, tokensValidFrom: revision, revokedTokens: [] };
    case 'UserSuspended':
      return { status: 'suspended', tokensValidFrom: revision, revokedTokens: [] };
    // A suspended user cannot sign in. A document that an older release wrote still lets the tokens from before live.
    case 'UserReactivated':
      return { status: 'active', tokensValidFrom: revision, revokedTokens: [] };
    case 'TokenRevoked': {
      const { tokenId: id, expiresAt } = data;
      return { revokedTokens: [...rememberedBeside(expiresAt, revokedTokens), { id, expiresAt }] };
    }
    case 'AllTokensRevoked':
      return { tokensValidFrom: revision, revokedTokens: [] };
  }
}

const newUser = (data: Registration): User => ({
  ...registrationOf(data),
  status: 'active',
  tokensValidFrom: 0,
  revokedTokens: [],
  accessKeys: [],
});

const registrationOf = ({ username, realName, email, passwordHash, siteAdmin }: Registration): Registration => ({
  username,
  realName,
  email,
  passwordHash,
  siteAdmin,
});

function register(
  command: Extract<UserCommand, { type: 'RegisterUser' }>,
  user: Pick<User, 'username'> | null,
): readonly UserEvent[] {
  const { userId, username, status } = command;
  if (user === null) {
    const registered: UserEvent = { type: 'UserRegistered', data: { userId, ...registrationOf(command) } };
    return status === undefined ? [registered] : [registered, changeEvent({ type: 'SuspendUser', userId })];
  }
  if (user.username === username) return [];
  throw new Problem('conflict', 'The user exists already');
}

type Change = Exclude<UserCommand, AccessKeyCommand | { type: 'RegisterUser' }>;

function change(command: Change, user: User): readonly UserEvent[] {
  return isDone(command, user) ? [] : [changeEvent(withinBounds(command, user))];
}

/** Too many tokens to remember one by one end together with all others: none that was signed out lives on. */
function withinBounds(command: Change, { revokedTokens }: User): Change {
  if (command.type !== 'RevokeToken') return command;
  const others = rememberedBeside(command.expiresAt, revokedTokens);
  return others.length < MAX_REVOKED_TOKENS ? command : { type: 'RevokeAllTokens', userId: command.userId };
}

function isDone(command: Change, user: User): boolean {
  const holds = (wanted: Partial<User>): boolean => isDeepStrictEqual({ ...user, ...wanted }, user);
  switch (command.type) {
    case 'RenameUser':
      return holds({ realName: command.realName, email: command.email });
    case 'ChangeRole':
      return holds({ siteAdmin: command.siteAdmin });
    case 'ChangePassword':
      return holds({ passwordHash: command.passwordHash });
    case 'SuspendUser':
      return holds({ status: 'suspended' });
    case 'ReactivateUser':
      return holds({ status: 'active' });
    case 'RevokeToken':
      return user.revokedTokens.some(({ id }) => id === command.tokenId);
    case 'RevokeAllTokens':
      // Issuing a token leaves no event, so there may be new ones since the last time.
      return false;
  }
}

function changeEvent(command: Change): UserEvent {
  const { userId } = command;
  switch (command.type) {
    case 'RenameUser':
      return { type: 'UserRenamed', data: { userId, realName: command.realName, email: command.email } };
    case 'ChangeRole':
      return { type: 'UserRoleChanged', data: { userId, siteAdmin: command.siteAdmin } };
    case 'ChangePassword':
      return { type: 'UserPasswordChanged', data: { userId, passwordHash: command.passwordHash } };
    case 'SuspendUser':
      return { type: 'UserSuspended', data: { userId } };
    case 'ReactivateUser':
      return { type: 'UserReactivated', data: { userId } };
    case 'RevokeToken': {
      const { tokenId, expiresAt } = command;
      return { type: 'TokenRevoked', data: { userId, tokenId, expiresAt } };
    }
    case 'RevokeAllTokens':
      return { type: 'AllTokensRevoked', data: { userId } };
  }
}
