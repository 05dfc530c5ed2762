/** An HTTP server that does not listen: it serves connections that have been accepted elsewhere. */
import { type Server } from 'node:http';
import { type Socket } from 'node:net';

/** The socket has to be paused. Beyond `maxConnections`, which Node applies to those that it accepts, it is closed. */
export function servingHandedOver(server: Server): (socket: Socket) => void {
  // With this event, Node begins to watch the connections of a server and their time-outs.
  server.emit('listening');
  let held = 0;
  return (socket) => {
    if (held >= server.maxConnections) {
      socket.destroy();
      return;
    }
    held += 1;
    socket.once('close', () => (held -= 1));
    server.emit('connection', socket);
    socket.resume();
  };
}
