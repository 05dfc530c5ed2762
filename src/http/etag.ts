/** Revisions as entity tags, and the conditions that clients put on them (RFC 9110, 13.1). */
import { type Context } from 'koa';
import { NO_STREAM, type Revision } from '../core/event-log.js';

export interface Current {
  readonly revision: Revision;
  /** ISO-8601 instant; null for what does not exist. */
  readonly lastModified: string | null;
}

export type Precondition = (current: Current) => boolean;

/** Strong: If-Match never matches a weak one. */
const etag = (revision: Revision): string => `"${revision}"`;

export function setValidators(ctx: Context, { revision, lastModified }: Current): void {
  ctx.set('Etag', etag(revision));
  if (lastModified !== null) ctx.set('Last-Modified', new Date(lastModified).toUTCString());
}

/** A predicate and no revision, because it is asked again after every lost race. True when the client set no condition. */
export function precondition(ctx: Context): Precondition {
  const match = ifMatch(ctx.req.headers['if-match']);
  const unmodified = ifUnmodifiedSince(ctx.req.headers['if-unmodified-since']);
  return (current) => match(current) && unmodified(current);
}

function ifMatch(header: string | undefined): Precondition {
  if (header === undefined) return () => true;
  if (header.trim() === '*') return ({ revision }) => revision > NO_STREAM;
  const tags = new Set(strongTags(header));
  return ({ revision }) => revision > NO_STREAM && tags.has(String(revision));
}

/** What the quotes hold, or what stands there without any: clients send tags in both spellings. */
function strongTags(header: string): string[] {
  if (header.split('"').length % 2 === 0) return [];
  const members = header.match(/(?:"[^"]*"|[^,])+/g) ?? [];
  return members.map((member) => member.trim()).map((tag) => /^"([^"]*)"$/.exec(tag)?.[1] ?? tag);
}

/** Equal to the second, as HTTP dates are; a later date is not one that this service has given out. */
function ifUnmodifiedSince(header: string | undefined): Precondition {
  if (header === undefined) return () => true;
  const since = seconds(header);
  return ({ lastModified }) => lastModified !== null && seconds(lastModified) === since;
}

/** NaN, which equals nothing, for what is no date. */
function seconds(date: string): number {
  return Math.floor(Date.parse(date) / 1000);
}
