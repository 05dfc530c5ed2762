import { createHash, randomUUID } from 'node:crypto';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/bounds.js';
import { epochSeconds, type Clock } from '../../core/clock.js';
import { type Revision } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { type Definitions } from '../../definitions/definitions.js';
import { TOKEN_LIFETIME_S } from '../../users/user-events.js';
import { type UserView } from '../../users/user-view.js';

const ALGORITHM = 'HS256';
const MAX_REMEMBERED = 20_000;
/** The clocks of two servers may differ so far. */
const MOST_AHEAD_S = 5 * 60;

interface Token {
  readonly id: string;
  readonly userId: number;
  /** Of the user's stream, when the token was issued. */
  readonly revision: Revision;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

export interface Tokens {
  issue(user: UserView): string;
  /** The token's user, suspended or not, who has to be the one named beside it; else a Problem. */
  userOf(token: string, userId: string): UserView;
  /** The token of this text if it is in force and this user's. */
  ownedBy(user: UserView, token: string): Token | null;
}

export interface TokensOptions {
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly definitions: Definitions;
  readonly clock: Clock;
}

export function tokens({ secrets, definitions, clock }: TokensOptions): Tokens {
  const { sign, verified } = signatures(secrets);
  const now = (): number => epochSeconds(clock());
  const isAhead = ({ expiresAt }: Token): boolean => expiresAt - TOKEN_LIFETIME_S > now() + MOST_AHEAD_S;

  return {
    issue: (user) => {
      const claims = {
        sub: String(user.id),
        iat: now(),
        exp: now() + TOKEN_LIFETIME_S,
        jti: randomUUID(),
        rev: user.revision,
      };
      return sign(claims);
    },
    userOf: (text, userId) => {
      const token = verified(text);
      if (token === null) throw badToken();
      if (now() >= token.expiresAt) throw new Problem('unauthenticated', 'The token has expired');
      if (isAhead(token)) throw new Problem('unauthenticated', 'The token was issued while the clock was ahead');
      const user = definitions.currentUser(token.userId);
      if (user === undefined || String(token.userId) !== userId) throw badToken();
      // A suspension also ends the token, and is the reported reason.
      if (user.status === 'active' && isRevoked(token, user)) throw badToken();
      return user;
    },
    ownedBy: (user, text) => {
      const token = verified(text);
      if (token === null || now() >= token.expiresAt || isAhead(token)) return null;
      return token.userId === user.id && !isRevoked(token, user) ? token : null;
    },
  };
}

/** One answer for all faults of a token, so that it reveals none. */
function badToken(): Problem {
  return new Problem('bad-credentials', 'The token is not valid');
}

function isRevoked(token: Token, user: UserView): boolean {
  return token.revision < user.tokensValidFrom || user.revokedTokens.some(({ id }) => id === token.id);
}

interface Signatures {
  readonly sign: (claims: object) => string;
  /** What the token says, in force or not, when the signature is ours. */
  readonly verified: (token: string) => Token | null;
}

/** A signature, once found right, stays so; everything else about a token is looked at each time. */
function signatures(secrets: readonly string[]): Signatures {
  const keys = new Map(secrets.map((secret) => [keyId(secret), secret]));
  const [first] = keys;
  if (first === undefined) throw new RangeError('there is no key to sign tokens with');
  const [keyid, signing] = first;
  const known = new LRUCache<string, Token>(atMost(MAX_REMEMBERED));

  return {
    sign: (claims) => jwt.sign(claims, signing, { algorithm: ALGORITHM, keyid }),
    verified: (text) => {
      const remembered = known.get(text);
      if (remembered !== undefined) return remembered;
      const token = verify(text, keys);
      if (token !== null) known.set(text, token);
      return token;
    },
  };
}

function keyId(secret: string): string {
  return createHash('sha256').update(`kid ${secret}`).digest('base64url').slice(0, 12);
}

function verify(text: string, keys: ReadonlyMap<string, string>): Token | null {
  try {
    const key = keys.get(jwt.decode(text, { complete: true })?.header.kid ?? '');
    if (key === undefined) return null;
    const claims = jwt.verify(text, key, { algorithms: [ALGORITHM], ignoreExpiration: true, ignoreNotBefore: true });
    return typeof claims === 'string' ? null : tokenOf(claims);
  } catch (error) {
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function tokenOf({ sub, jti, exp, rev }: JwtPayload): Token | null {
  if (sub === undefined || jti === undefined || exp === undefined || typeof rev !== 'number') return null;
  return { id: jti, userId: Number(sub), revision: rev, expiresAt: exp };
}
