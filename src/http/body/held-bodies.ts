import { type ServerResponse } from 'node:http';
import { cacheSize } from '../../core/bounds.js';
import { temporarilyUnavailable } from '../../core/problem.js';

/** In bytes: all together, of requests that are not answered yet. */
const MOST_OF_MEMBERS = 134_217_728;
const MOST_OF_STRANGERS = cacheSize(134_217_728);

/** Takes a body, which takes so many bytes by now, into account until it is answered. */
export type Hold = (response: ServerResponse, bytes: number, isOfMember: boolean) => void;

/**
 * Strangers, among them all who are not authenticated yet, take no room of members, who take none of theirs. Where strangers
 * leave none, the bodies that have been coming for the longest are cut off: one that comes at once needs no patience.
 */
export function holdingBodies(mostOfStrangers = MOST_OF_STRANGERS, mostOfMembers = MOST_OF_MEMBERS): Hold {
  const strangers = budget(mostOfStrangers, 'Too many bodies are under way; retry later', true);
  const members = budget(mostOfMembers, 'Too many long bodies are under way; retry later', false);
  return (response, bytes, isOfMember) => {
    strangers(response, isOfMember ? 0 : bytes);
    members(response, isOfMember ? bytes : 0);
  };
}

/** Throws what those are answered whose bodies would be too much. */
function budget(most: number, refusal: string, cutsOff: boolean): (response: ServerResponse, bytes: number) => void {
  /** Those that began first come first. */
  const bodies = new Map<ServerResponse, number>();
  let held = 0;
  const forget = (response: ServerResponse): void => {
    held -= bodies.get(response) ?? 0;
    bodies.delete(response);
  };
  const makeRoom = (response: ServerResponse, more: number): void => {
    for (const [other, bytes] of bodies) {
      if (held + more <= most) return;
      if (other === response || other.req.complete || bytes === 0) continue;
      forget(other);
      other.destroy();
    }
  };
  return (response, bytes) => {
    if (response.closed) return;
    const known = bodies.get(response);
    const more = bytes - (known ?? 0);
    if (more === 0) return;
    if (cutsOff) makeRoom(response, more);
    if (held + more > most) throw temporarilyUnavailable(refusal);
    held += more;
    bodies.set(response, bytes);
    if (known === undefined) {
      response.once('close', () => {
        forget(response);
      });
    }
  };
}
