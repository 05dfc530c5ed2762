/** Of each connection, one request at a time. What a client sends behind it waits, and is never begun if the connection ends. */
import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

/** Of one connection. Node reads on for as long as nothing is answered. */
const MOST_WAITING = 250;
/** Of all that wait together, by `sizeOf`. */
const MOST_SIZE = 524_288;
/** For a name or a value of a header, beside its characters. */
const ENTRY_SIZE = 32;
/** For a byte of a body: each may come as a chunk of its own. */
const BYTE_SIZE = 8;
/** In bytes: so much of a body is read before its turn. */
const READ_AHEAD = 16_384;

/** Calls back once it is this one's turn. Node does not close a response whose turn has not come. */
export function atItsTurn(response: ServerResponse, then: () => void): void {
  if (response.socket === null) response.once('socket', then);
  else then();
}

/** Each that has waited begins in a turn of the event loop of its own: so answers that take no time do not add up. */
export function oneRequestAtATime(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, { count: number; size: number }>();
  return (request, response) => {
    const { socket } = request;
    if (response.socket !== null) {
      listener(request, response);
      return;
    }
    const others = waiting.get(socket) ?? { count: 0, size: 0 };
    const size = sizeOf(request);
    if (others.count === MOST_WAITING || others.size + size > MOST_SIZE) {
      socket.destroy();
      return;
    }
    waiting.set(socket, others);
    others.count += 1;
    others.size += size;
    atItsTurn(response, () => {
      others.count -= 1;
      others.size -= size;
      setImmediate(() => {
        if (!socket.destroyed) listener(request, response);
      });
    });
  };
}

/** About the bytes of memory that a waiting request takes for what its client has sent. */
function sizeOf({ url = '', rawHeaders, headers }: IncomingMessage): number {
  const body = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : READ_AHEAD;
  const head = rawHeaders.reduce((size, { length }) => size + length + ENTRY_SIZE, url.length);
  return head + Math.min(body, READ_AHEAD) * BYTE_SIZE;
}
