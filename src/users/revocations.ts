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

/** What has expired once stays so: a chain without it comes to the same. All are looked through, so seldom. */
const DROPPED_AFTER = 1000;

export function revocation(token: RevokedToken, before: Revocation | null): Revocation | null {
  const last = { ...token, before, added: (before?.added ?? 0) + 1 };
  return last.added < DROPPED_AFTER ? last : chainOf(unexpired(last));
}

const chainOf = (tokens: readonly RevokedToken[]): Revocation | null =>
  tokens.reduce<Revocation | null>((before, token) => ({ ...token, before, added: 0 }), null);

/** Those that had not expired when the token of this expiry was issued. The others are expired for good. */
export function unexpiredBeside(expiresAt: string, revoked: readonly RevokedToken[]): readonly RevokedToken[] {
  const issuedAt = issuedWhenExpires(expiresAt);
  return revoked.filter((token) => token.expiresAt >= issuedAt);
}

/** What is left of all when each was remembered beside those after it. */
export function unexpired(last: Revocation | null): readonly RevokedToken[] {
  const left: RevokedToken[] = [];
  let [latest, issuedAt] = ['', ''];
  for (let one = last; one !== null; one = one.before) {
    const { id, expiresAt } = one;
    if (expiresAt >= issuedAt) left.push({ id, expiresAt });
    if (expiresAt > latest) [latest, issuedAt] = [expiresAt, issuedWhenExpires(expiresAt)];
  }
  return left.reverse();
}

const issuedWhenExpires = (expiresAt: string): string =>
  new Date(Date.parse(expiresAt) - TOKEN_LIFETIME_S * 1000).toISOString();
