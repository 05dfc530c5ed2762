import { type AccessKey, type AccessKeyEvent } from './access-key.js';
import { type Event, type Revision, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';

/** Stored for ever: extend, never rename. */
export type UserEvent =
  | AccessKeyEvent
  | Event<
      'UserRegistered',
      {
        userId: number;
        username: string;
        realName: string;
        email: string;
        /** argon2id, in its PHC string form. */
        passwordHash: string;
        siteAdmin: boolean;
      }
    >
  | Event<'UserRenamed', { userId: number; realName: string; email: string }>
  | Event<'UserRoleChanged', { userId: number; siteAdmin: boolean }>
  /** Ends every token issued before, too. */
  | Event<'UserPasswordChanged', { userId: number; passwordHash: string }>
  /** Ends every token issued before, too: they stay dead when the user comes back. */
  | Event<'UserSuspended', { userId: number }>
  | Event<'UserReactivated', { userId: number }>
  /** `expiresAt`: from then on the revocation need not be remembered. */
  | Event<'TokenRevoked', { userId: number; tokenId: string; expiresAt: string }>
  /** Ends the tokens issued before its own revision. */
  | Event<'AllTokensRevoked', { userId: number }>;

export const userEventTypes: EventTypes<UserEvent> = {
  AccessKeyCreated: [],
  AccessKeyRevoked: [],
  AccessKeyUsed: [],
  UserRegistered: [],
  UserRenamed: [],
  UserRoleChanged: [],
  UserPasswordChanged: [],
  UserSuspended: [],
  UserReactivated: [],
  TokenRevoked: [],
  AllTokensRevoked: [],
};

/** Revocations that events hold are forgotten by it: to let tokens live longer takes more than another number. */
export const TOKEN_LIFETIME_S = 24 * 60 * 60;

export const userStream = (id: number): StreamName => `user-${id}`;

type UserStatus = 'active' | 'suspended';

interface RevokedToken {
  readonly id: string;
  readonly expiresAt: string;
}

/** State of the decider and, with its id and revision, the document of the read model. */
export interface User {
  readonly username: string;
  readonly realName: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly siteAdmin: boolean;
  readonly status: UserStatus;
  /** Tokens issued at an earlier revision of the stream are dead. */
  readonly tokensValidFrom: Revision;
  readonly revokedTokens: readonly RevokedToken[];
  /** Oldest first, expired ones too, until they are revoked. */
  readonly accessKeys: readonly AccessKey[];
}
