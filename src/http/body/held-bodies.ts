import { type ServerResponse } from 'node:http';
import { temporarilyUnavailable } from '../../core/problem.js';

/** In bytes: all together, of requests that are not answered yet. */
const MOST_HELD = 134_217_728;

/** Takes a body, which has so many bytes by now, into account until it is answered. */
export type Hold = (response: ServerResponse, bytes: number) => void;

/** Throws what those are answered whose bodies would be too much. */
export function holdingBodies(most = MOST_HELD): Hold {
  const bodies = new Map<ServerResponse, number>();
  let held = 0;
  const release = (response: ServerResponse): void => {
    held -= bodies.get(response) ?? 0;
    bodies.delete(response);
  };
  return (response, bytes) => {
    if (response.closed) return;
    const known = bodies.get(response);
    const more = bytes - (known ?? 0);
    if (held + more > most) throw temporarilyUnavailable('Too many long bodies are under way; retry later');
    held += more;
    bodies.set(response, bytes);
    if (known === undefined) {
      response.once('close', () => {
        release(response);
      });
    }
  };
}
