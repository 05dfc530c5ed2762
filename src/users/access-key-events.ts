import { type Event } from '../core/event-log.js';

/** Stored for ever: extend, never rename. */
export type AccessKeyEvent =
  | Event<
      'AccessKeyCreated',
      {
        userId: number;
        accessKeyId: number;
        /** SHA-256 in hex: the secret is random, so nothing slower is called for. */
        secretHash: string;
        description: string;
        /** UTC instant; null for never. */
        expiresAt: string | null;
        at: string;
      }
    >
  | Event<'AccessKeyRevoked', { userId: number; accessKeyId: number }>
  /** Now and then: not every use leaves one. */
  | Event<'AccessKeyUsed', { userId: number; accessKeyId: number; at: string }>;
