/** Of each connection, one request at a time. What a client sends behind it waits, and is never begun if the connection ends. */
import { type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

/** Of one connection. Node reads on for as long as nothing is answered. */
const MOST_WAITING = 250;

/** Calls back once it is this one's turn. Node does not close a response whose turn has not come. */
export function atItsTurn(response: ServerResponse, then: () => void): void {
  if (response.socket === null) response.once('socket', then);
  else then();
}

/** Each that has waited begins in a turn of the event loop of its own: so answers that take no time do not add up. */
export function oneRequestAtATime(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (response.socket !== null) {
      listener(request, response);
      return;
    }
    const others = waiting.get(socket) ?? 0;
    if (others === MOST_WAITING) {
      socket.destroy();
      return;
    }
    waiting.set(socket, others + 1);
    atItsTurn(response, () => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1);
      setImmediate(() => {
        if (!socket.destroyed) listener(request, response);
      });
    });
  };
}
