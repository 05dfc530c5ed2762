/** An HTTP server that does not listen: it serves connections that have been accepted elsewhere. */
import { type Server } from 'node:http';
import { type Socket } from 'node:net';

/** The socket has to be paused. */
export function servingHandedOver(server: Server): (socket: Socket) => void {
  // With this event, Node begins to watch the connections of a server and their time-outs.
  server.emit('listening');
  return (socket) => {
    server.emit('connection', socket);
    socket.resume();
  };
}
