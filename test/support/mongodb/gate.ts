import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { withOptions } from './options.js';
import { listenAgain, portOfOnesOwn } from '../same-port.js';

/** A way to a server that can be closed while the server lives on. */
export interface Gate {
  /** As the URL of the server's database, by way of the gate. */
  readonly url: string;
  /** Lets nobody in, and cuts off those who are. */
  readonly shut: () => Promise<void>;
  /** Takes everything in, and lets nothing pass. */
  readonly hold: () => void;
  /** Keeps back whatever the server sends on a connection on which such a command was sent, until it is opened. */
  readonly holdAnswers: (isAsked: (sent: Buffer) => boolean) => void;
  /** After a `shut` or a `hold`. What was held is passed on. */
  readonly open: () => Promise<void>;
}

/** Who signs in, the first host and its port, and what follows the hosts. */
const PARTS = /^mongodb:\/\/([^/?@]*@)?([^/?:,]+)(?::(\d+))?[^/]*(\/.*)$/;

export async function gateTo(url: string): Promise<Gate> {
  const [, signIn = '', host, port = 27_017, rest = ''] = PARTS.exec(url) ?? [];
  if (host === undefined) throw new Error(`There is no way to put a gate before ${url}`);
  const sockets = new Set<Socket>();
  let held = false;
  let isKept: (sent: Buffer) => boolean = () => false;
  const server = createServer((client) => {
    const target = connect({ host, port: Number(port) });
    for (const [from, to] of [[client, target] as const, [target, client] as const]) {
      sockets.add(from);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('error', () => from.destroy());
      from.pipe(to);
      if (held) from.pause();
    }
    client.on('data', (sent: Buffer) => {
      if (isKept(sent)) target.pause();
    });
  });
  // A spec that has failed must not keep its process.
  server.unref();
  await listen(server, null);
  const own = (server.address() as AddressInfo).port;
  return {
    // The server would name other ways to itself.
    url: withOptions(`mongodb://${signIn}127.0.0.1:${own}${rest}`, 'directConnection=true'),
    shut: async () => {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
    hold: () => {
      held = true;
      for (const socket of sockets) socket.pause();
    },
    holdAnswers: (isAsked) => {
      isKept = isAsked;
    },
    open: async () => {
      held = false;
      isKept = () => false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(server, own);
    },
  };
}

/** `port`: null for a new one. */
async function listen(server: Server, port: number | null): Promise<void> {
  await listenAgain(async () => once(server.listen(port ?? portOfOnesOwn(), '127.0.0.1'), 'listening'));
}
