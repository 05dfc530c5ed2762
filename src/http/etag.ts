/** Revisions as entity tags, and the conditions that clients put on them (RFC 9110, 13.1). */
import { createHash } from 'node:crypto';
import { type Context } from 'koa';
import { epochSeconds } from '../core/clock.js';
import { NO_STREAM, type Revision } from '../core/event-log.js';
import { header, optionalHeader, type AnswerHeaders } from './openapi/response-schema.js';
import { begin, sendBegun, type Begun, type Parts } from './send-json.js';

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

/** Of answers with the tag of a revision, for the API description. */
export const VALIDATORS: AnswerHeaders = {
  Etag: header('The value for If-Match'),
  'Last-Modified': header('The value for If-Unmodified-Since'),
};

/** Whether the client names this revision as one that it has. */
export const hasRevision = (ctx: Context, revision: Revision): boolean => isKnown(ctx, etag(revision));

/** Of routes whose answers have the tag of their text, for the API description. */
export const TEXT_TAGS = {
  headers: { 'If-None-Match': 'An Etag. If the reader would get the same answer again, the status is 304.' },
  answer: { Etag: optionalHeader('The value for If-None-Match. An answer of more than 1 MiB has none.') },
};

/**
 * The tag is that of the text: all that the reader is shown is in it, and every process makes the same. A text that goes
 * on while it is sent has none, because its headers are sent first.
 */
export async function sendTagged(ctx: Context, texts: AsyncIterator<Parts> | string): Promise<void> {
  const begun = typeof texts === 'string' ? { parts: [texts], rest: null } : await begin(texts);
  sendUnlessKnown(ctx, begun, begun.rest === null ? textTag(begun.parts) : null);
}

/** Sends a text that never changes. */
export function constantText(text: string): (ctx: Context) => void {
  const parts = [text];
  const tag = textTag(parts);
  return (ctx) => {
    sendUnlessKnown(ctx, { parts, rest: null }, tag);
  };
}

function sendUnlessKnown(ctx: Context, begun: Begun, tag: string | null): void {
  if (tag !== null) ctx.set('Etag', tag);
  if (tag !== null && isKnown(ctx, tag)) ctx.status = 304;
  else sendBegun(ctx, begun);
}

function textTag(parts: Parts): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return `"${hash.digest('base64url')}"`;
}

/** Whether If-Match allows what is there and has this tag. */
export function isAsStated(ctx: Context, tag: string): boolean {
  const header = ctx.req.headers['if-match'] ?? '*';
  return header.trim() === '*' || strongTags(header).includes(tag.slice(1, -1));
}

/** If-None-Match compares tags weakly. A request's Cache-Control does not count: it is for caches on the way. */
export function isKnown(ctx: Context, tag: string): boolean {
  const header = ctx.req.headers['if-none-match'] ?? '';
  const tags: readonly string[] = header.match(/"[^"]*"/g) ?? [];
  return header.trim() === '*' || tags.includes(tag);
}

/** A predicate and no revision, because it is asked again after every lost race. True when the client set no condition. */
export function precondition(ctx: Context): Precondition {
  const match = ifMatch(ctx.req.headers['if-match']);
  const unmodified = ifUnmodifiedSince(ctx.req.headers['if-unmodified-since']);
  return (current) => match(current) && unmodified(current) && !hasRevision(ctx, current.revision);
}

/** Undefined when the client set no condition, or one that everything that exists fulfils. */
export function statedPrecondition(ctx: Context): Precondition | undefined {
  const { 'if-match': match = '*', 'if-unmodified-since': since, 'if-none-match': none } = ctx.req.headers;
  return match.trim() === '*' && (since ?? none) === undefined ? undefined : precondition(ctx);
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

/** RFC 9110, section 5.6.7: in GMT, which it does not name. */
const ASCTIME = /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
/** `-2026` is no offset. */
const NAMES_ZONE = /(GMT|UTC?|Z|:\d\d(\.\d+)? ?[+-]\d\d:?\d\d)$/i;

/** Equal to the second, as HTTP dates are; a later date is not one that this service has given out. */
function ifUnmodifiedSince(header: string | undefined): Precondition {
  if (header === undefined) return () => true;
  const date = ASCTIME.test(header) ? `${header} GMT` : header;
  // Without a zone, it would be read in that of the machine.
  const since = NAMES_ZONE.test(date) ? epochSeconds(date) : Number.NaN;
  return ({ lastModified }) => lastModified !== null && epochSeconds(lastModified) === since;
}
