/** Requests that carry an Idempotency-Key: the first one with a key is remembered and answered again for a day. */
import { createHash } from 'node:crypto';
import { type Decider } from '../../core/decider.js';
import { Problem } from '../../core/problem.js';
import { type RequestEvent } from './accepted-request-events.js';

export interface AcceptRequest {
  readonly artifactId: number;
  readonly digest: string;
  readonly at: string;
}

export interface AcceptedRequest extends AcceptRequest {
  /** How many requests used the key up, each a day or more after the one before. */
  readonly uses: number;
}

const REMEMBERED_MS = 24 * 60 * 60 * 1000;

export const requestDecider: Decider<AcceptedRequest | null, AcceptRequest, RequestEvent> = {
  initialState: null,

  decide(request, accepted) {
    if (rememberedRequest(accepted, request) !== null) return [];
    const { artifactId, digest, at } = request;
    return [{ type: 'RequestAccepted', data: { artifactId, digest, at, uses: usesOf(accepted) + 1 } }];
  },

  evolve: (accepted, { data }) => ({ ...data, uses: data.uses ?? usesOf(accepted) + 1 }),
  saysAll: ({ data }) => data.uses !== undefined,
};

export const usesOf = (accepted: AcceptedRequest | null): number => accepted?.uses ?? 0;

/** The one that the key stands for; null once the key is free again. Throws for another body. */
export function rememberedRequest(
  accepted: AcceptedRequest | null,
  { digest, at }: Pick<AcceptRequest, 'digest' | 'at'>,
): AcceptedRequest | null {
  // Nor one that is as far ahead: the clock was wrong.
  if (accepted === null || Math.abs(Date.parse(at) - Date.parse(accepted.at)) >= REMEMBERED_MS) return null;
  if (accepted.digest === digest) return accepted;
  throw new Problem('conflict', 'This Idempotency-Key was used with another body in the last 24 hours; use a new key');
}

/** Bodies that say the same have the same digest, however their keys are ordered. */
export function bodyDigest(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
