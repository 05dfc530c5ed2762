import { type Event } from '../core/event-log.js';

export interface NewAccessKey {
  readonly userId: number;
  readonly accessKeyId: number;
  /** SHA-256 in hex: the secret is random, so nothing slower is called for. */
  readonly secretHash: string;
  readonly description: string;
  /** UTC instant; null for never. */
  readonly expiresAt: string | null;
  readonly at: string;
}

/** Stored for ever: extend, never rename. */
export type AccessKeyEvent =
  | Event<'AccessKeyCreated', NewAccessKey>
  | Event<'AccessKeyRevoked', { userId: number; accessKeyId: number }>
  /** Now and then: not every use leaves one. */
  | Event<'AccessKeyUsed', { userId: number; accessKeyId: number; at: string }>;
