import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 50;
/** For what has been sent to us but is not a whole request yet. */
const GRACE_MS = 1000;

/**
 * Answers how to close the server: no new connections, each one gone after the answer it waits for. Those on which no
 * request is under way have a second to send one; all are cut off when the patience ends.
 */
export function closingOf(server: Server): (patienceMs: number) => Promise<void> {
  const connections = new Map<Socket, Set<ServerResponse>>();
  let closing = false;
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (closing) response.setHeader('Connection', 'close');
    const underWay = connections.get(socket);
    underWay?.add(response);
    response.once('close', () => {
      underWay?.delete(response);
    });
  });
  // `close` calls it, too.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    sparing(connections, closeIdle);
  };
  return async (patienceMs) => {
    closing = true;
    sayGoodbye([...connections.values()].flatMap((underWay) => [...underWay]));
    const started = performance.now();
    const closed = once(server, 'close');
    server.close();
    const timer = setInterval(() => {
      const waited = performance.now() - started;
      if (waited > patienceMs) server.closeAllConnections();
      else if (waited > GRACE_MS) endQuiet(connections);
      else server.closeIdleConnections();
    }, LOOK_MS);
    await closed;
    // The server does not count connections that were handed over to it.
    while (connections.size > 0) await pause(LOOK_MS);
    clearInterval(timer);
  };
}

/** Node alone sees whether a part of a request has come. It would also cut off an answer that a client reads slowly. */
function sparing(connections: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>, closeIdle: () => void): void {
  const answering = [...connections.keys()].filter((socket) => connections.get(socket)?.size !== 0);
  for (const socket of answering) socket.destroy = () => socket;
  closeIdle();
  for (const socket of answering) Reflect.deleteProperty(socket, 'destroy');
}

function sayGoodbye(underWay: readonly ServerResponse[]): void {
  for (const response of underWay) {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  }
}

function endQuiet(connections: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>): void {
  for (const [socket, underWay] of connections) {
    if (underWay.size === 0) socket.destroy();
  }
}
