import { type Event, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';
import { type AccessKeyEvent } from './access-key-events.js';

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
  /** `expiresAt`: of the token. The revocation has to be remembered until a day after. */
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
