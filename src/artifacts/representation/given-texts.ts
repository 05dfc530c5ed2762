/**
 * Which text this process has given with which Etag. The ETag of an artifact is a revision. Its text also changes
 * without a new revision, so the tag does not identify the text of a client.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/bounds.js';
import { type Clock } from '../../core/clock.js';
import { type Revision } from '../../core/event-log.js';

export interface GivenText {
  readonly revision: Revision;
  /** ISO-8601 instant of the revision, or an earlier one. */
  readonly lastModified: string;
  /** Null for a text that is too long to be compared. */
  readonly digest: string | null;
}

/** Of the latest revision that was given. */
interface Given {
  readonly revision: Revision;
  /** Null if another text may have been given with the revision. */
  readonly digest: string | null;
}

/** In characters. */
const LONGEST = 1_048_576;
/** Some hundred bytes each. */
const MOST_KNOWN = 50_000;

export const digestOf = (text: string): string | null =>
  text.length > LONGEST ? null : createHash('sha256').update(text).digest('base64url');

/**
 * Notes a text that is about to be given under a name. True if this very text was given before under the name and with
 * the revision, and no other text ever was. `name` says who reads, and what was asked for.
 */
export type NoteGiven = (name: string, text: GivenText) => boolean;

/** For the only process that gives texts. */
export function givenTexts(clock: Clock, most = MOST_KNOWN): NoteGiven {
  /** Texts of an earlier process, or forgotten ones, are unknown. */
  let unknownUntil = clock().getTime();
  const known = new LRUCache<string, Given>({
    ...atMost(most),
    dispose: (_given, _name, reason) => {
      if (reason === 'evict') unknownUntil = clock().getTime();
    },
  });
  return (name, { revision, lastModified, digest }) => {
    const earlier = known.get(name);
    if (earlier === undefined || earlier.revision < revision) {
      const modified = Date.parse(lastModified);
      // One that is later than now may be older than this process: the clock was ahead.
      const isFirst = modified > unknownUntil && modified <= clock().getTime();
      known.set(name, { revision, digest: isFirst ? digest : null });
      return false;
    }
    if (earlier.revision > revision || earlier.digest === null) return false;
    if (earlier.digest !== digest) known.set(name, { revision, digest: null });
    return earlier.digest === digest;
  };
}
