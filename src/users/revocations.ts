/** Tokens that were signed out one by one, and which of them still have to be remembered. */
import { TOKEN_LIFETIME_S } from './user-events.js';

export interface RevokedToken {
  readonly id: string;
  readonly expiresAt: string;
}

/** The last one, and those before it: a user signs out often, and copying all for each event would not do. */
export interface Revocation extends RevokedToken {
  readonly before: Revocation | null;
  /** How many have been added since the expired ones were dropped. */
  readonly added: number;
}

/** What is forgotten once stays so: a chain without it comes to the same. All are looked through, so seldom. */
const DROPPED_AFTER = 1000;

/**
 * For so long after its token has expired: the clock that dated later tokens may have been ahead of time. Events are folded
 * by it: another number needs another version of the projection.
 */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

export function revocation(token: RevokedToken, before: Revocation | null): Revocation | null {
  const last = { ...token, before, added: (before?.added ?? 0) + 1 };
  return last.added < DROPPED_AFTER ? last : chainOf(remembered(last));
}

const chainOf = (tokens: readonly RevokedToken[]): Revocation | null =>
  tokens.reduce<Revocation | null>((before, token) => ({ ...token, before, added: 0 }), null);

/** Those that had not expired long before the token of this expiry was issued. */
export function rememberedBeside(expiresAt: string, revoked: readonly RevokedToken[]): readonly RevokedToken[] {
  const since = rememberedSince(expiresAt);
  return revoked.filter((token) => token.expiresAt >= since);
}

/** What is left of all when each was remembered beside those after it. */
export function remembered(last: Revocation | null): readonly RevokedToken[] {
  const left: RevokedToken[] = [];
  let [latest, since] = ['', ''];
  for (let one = last; one !== null; one = one.before) {
    const { id, expiresAt } = one;
    if (expiresAt >= since) left.push({ id, expiresAt });
    if (expiresAt > latest) [latest, since] = [expiresAt, rememberedSince(expiresAt)];
  }
  return left.reverse();
}

const rememberedSince = (expiresAt: string): string =>
  new Date(Date.parse(expiresAt) - TOKEN_LIFETIME_S * 1000 - REMEMBERED_MS).toISOString();
