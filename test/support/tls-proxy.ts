/** TLS before a server that speaks plain text. */
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { type ServerCertificate } from './eventstoredb/certificates.js';
import { type Target } from './tcp-proxy.js';

export interface TlsProxy {
  readonly port: number;
  /** How many have agreed on TLS so far. */
  readonly greeted: () => number;
  readonly close: () => void;
}

export async function tlsProxy(target: Target, { certificate, key }: ServerCertificate): Promise<TlsProxy> {
  const sockets = new Set<TLSSocket>();
  let greeted = 0;
  const server = createServer({ cert: certificate, key }, (client) => {
    greeted += 1;
    sockets.add(client);
    const upstream = connect(target);
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
      from.on('close', () => to.destroy());
      from.on('error', () => from.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    greeted: () => greeted,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
