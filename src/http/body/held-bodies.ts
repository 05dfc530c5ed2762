import { type ServerResponse } from 'node:http';
import { cacheSize } from '../../core/bounds.js';
import { sharesOf } from '../../core/concurrency/shares.js';
import { temporarilyUnavailable } from '../../core/problem.js';

/** In bytes: all together, of requests that are not answered yet. */
const MOST_OF_MEMBERS = 134_217_728;
const MOST_OF_STRANGERS = cacheSize(134_217_728);

interface Sender {
  /** Null is a stranger, and so are all who are not authenticated yet. */
  readonly userId: number | null;
  /** What one client has at its disposal. */
  readonly network: string;
}

/**
 * Takes a body, which takes so many bytes by now, into account until it is answered. False if there is no room. Where
 * nothing else is left, it makes room, or throws what the sender is answered.
 */
export type Hold = (response: ServerResponse, bytes: number, sender: Sender, isLastResort: boolean) => boolean;

/**
 * Strangers take no room of members, who take none of theirs. Each sender leaves as much free as it takes, so that one alone
 * takes half. Where strangers leave no room, the bodies that have been coming for the longest are cut off: one that comes at
 * once needs no patience.
 */
export function holdingBodies(mostOfStrangers = MOST_OF_STRANGERS, mostOfMembers = MOST_OF_MEMBERS): Hold {
  const strangers = budget(mostOfStrangers, 'Too many bodies are under way; retry later', true);
  const members = budget(mostOfMembers, 'Too many long bodies are under way; retry later', false);
  return (response, bytes, { userId, network }, isLastResort) => {
    const [own, other, sender] = userId === null ? [strangers, members, network] : [members, strangers, String(userId)];
    other(response, 0, sender, false);
    return own(response, bytes, sender, isLastResort);
  };
}

interface Body {
  readonly bytes: number;
  readonly sender: string;
}

type Budget = (response: ServerResponse, bytes: number, sender: string, isLastResort: boolean) => boolean;

function budget(most: number, refusal: string, cutsOff: boolean): Budget {
  /** Those that began first come first. */
  const bodies = new Map<ServerResponse, Body>();
  const shares = sharesOf(most);
  const forget = (response: ServerResponse): void => {
    const known = bodies.get(response);
    if (known !== undefined) shares.add(known.sender, -known.bytes);
    bodies.delete(response);
  };
  /** Incomplete ones of the sender, and of others who have no less than the sender will have. */
  const cuttable = (sender: string, more: number): readonly [ServerResponse, Body][] => {
    const share = shares.of(sender) + more;
    const gives = (body: Body): boolean =>
      body.bytes > 0 && (body.sender === sender || shares.of(body.sender) >= share);
    return [...bodies].filter(([{ req }, body]) => !req.complete && gives(body));
  };
  const makeRoom = (response: ServerResponse, sender: string, more: number): void => {
    const cut: ServerResponse[] = [];
    let lack = shares.lack(sender, more);
    for (const [other, body] of cutsOff ? cuttable(sender, more) : []) {
      if (lack <= 0) break;
      if (other === response) continue;
      cut.push(other);
      lack -= body.sender === sender ? 2 * body.bytes : body.bytes;
    }
    if (lack > 0) throw temporarilyUnavailable(refusal);
    for (const other of cut) {
      forget(other);
      other.destroy();
    }
  };
  const take = (response: ServerResponse, bytes: number, sender: string): void => {
    const known = bodies.get(response);
    if (known !== undefined) shares.add(known.sender, -known.bytes);
    shares.add(sender, bytes);
    bodies.set(response, { bytes, sender });
    if (known !== undefined) return;
    response.once('close', () => {
      forget(response);
    });
  };
  return (response, bytes, sender, isLastResort) => {
    const more = bytes - (bodies.get(response)?.bytes ?? 0);
    if (response.closed || more === 0) return true;
    if (more > 0 && shares.lack(sender, more) > 0) {
      if (!isLastResort) return false;
      makeRoom(response, sender, more);
    }
    take(response, bytes, sender);
    return true;
  };
}
