/** Where the next page of a list begins, as a text that only this installation makes. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type StartKey } from '../../core/read-models.js';

export interface Cursor {
  /** How many items came before, on all pages of the walk. */
  readonly before: number;
  /** Behind which item; without one the page begins where so many items came before. */
  readonly after?: StartKey | undefined;
}

/** `list` says what is walked, and who walks it: of another list a cursor is not known. */
export interface Cursors {
  readonly write: (list: string, cursor: Cursor) => string;
  /** Null for what was not written for the list. */
  readonly read: (list: string, text: string) => Cursor | null;
}

type Written = readonly [before: number, id?: StartKey['id'], ...values: StartKey['values']];

/** In bytes: too many to guess. */
const SIGNATURE = 16;

/** The first secret signs, each of them is known: so tokens do. */
export function cursors(secrets: readonly string[]): Cursors {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update('cursor 1').digest());
  const [signing] = keys;
  if (signing === undefined) throw new RangeError('there is no key to sign cursors with');
  const text = (list: string, { before, after }: Cursor): string => {
    const written: Written = after === undefined ? [before] : [before, after.id, ...after.values];
    const content = Buffer.from(JSON.stringify(written));
    return Buffer.concat([signatureOf(signing, list, content), content]).toString('base64url');
  };
  // An answer that is given again has the same place: its cursor is signed once.
  const known = new WeakMap<StartKey, { readonly list: string; readonly before: number; readonly text: string }>();
  return {
    write: (list, cursor) => {
      const { before, after } = cursor;
      if (after === undefined) return text(list, cursor);
      const earlier = known.get(after);
      if (earlier?.list === list && earlier.before === before) return earlier.text;
      const made = { list, before, text: text(list, cursor) };
      known.set(after, made);
      return made.text;
    },
    read: (list, text) => {
      const bytes = Buffer.from(text, 'base64url');
      // One cursor has one spelling.
      if (bytes.length <= SIGNATURE || bytes.toString('base64url') !== text) return null;
      const [signature, content] = [bytes.subarray(0, SIGNATURE), bytes.subarray(SIGNATURE)];
      const isOurs = keys.some((key) => timingSafeEqual(signatureOf(key, list, content), signature));
      return isOurs ? cursorIn(content.toString()) : null;
    },
  };
}

function signatureOf(key: Buffer, list: string, content: Buffer): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(list)).update(content).digest().subarray(0, SIGNATURE);
}

function cursorIn(content: string): Cursor {
  const [before, id, ...values] = JSON.parse(content) as Written;
  return id === undefined ? { before } : { before, after: { id, values } };
}
