import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface TcpProxy {
  readonly port: number;
  /** Ends all connections there are. */
  cut(): void;
  /** Lets nobody in, as if no server was there. Connections that there are go on. */
  refuse(): void;
  accept(): void;
  /** What arrives from now on, in either direction, is passed on later by this. 0 for at once. */
  delay(milliseconds: number): void;
  /** As a process that was stopped: connections are made and kept, and nothing is passed on until it goes on. */
  hang(): void;
  goOn(): void;
  /** What arrives on the connections that there are goes nowhere from now on, and nothing tells either side. */
  lose(): void;
  /** How many connections were made so far. */
  taken(): number;
  close(): Promise<void>;
}

export interface Target {
  readonly host?: string;
  readonly port: number;
}

/** Stands between a client and its server on this machine, so that the connection can be bad. */
export async function tcpProxy({ host = '127.0.0.1', port }: Target): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isRefusing = false;
  let lateness = 0;
  let taken = 0;
  let losses = 0;
  let hanging: Promise<void> | undefined;
  let goOn: () => void = () => undefined;
  const held = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.setNoDelay();
    // Whatever ends one side ends the other, too.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const pass = (from: Socket, to: Socket): void => {
    let passed: Promise<unknown> = Promise.resolve();
    const since = losses;
    const inOrder = (work: () => void): void => {
      const due = performance.now() + lateness;
      passed = passed.then(async () => {
        const rest = due - performance.now();
        if (rest > 0) await sleep(rest, undefined, { ref: false });
        await hanging;
        work();
      });
    };
    from.on('data', (chunk) => {
      inOrder(() => {
        if (to.writable && losses === since) to.write(chunk);
      });
    });
    from.on('end', () => {
      inOrder(() => {
        to.end();
      });
    });
    from.on('close', () => {
      inOrder(() => {
        to.destroySoon();
      });
    });
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const client = held(socket);
    taken += 1;
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = held(connect({ port, host, allowHalfOpen: true }));
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    refuse: () => {
      isRefusing = true;
    },
    accept: () => {
      isRefusing = false;
    },
    delay: (milliseconds) => {
      lateness = milliseconds;
    },
    hang: () => {
      hanging ??= new Promise((resolve) => (goOn = resolve));
    },
    goOn: () => {
      hanging = undefined;
      goOn();
    },
    lose: () => {
      losses += 1;
    },
    taken: () => taken,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}

/** The same URL, but by way of a proxy. */
export function through(proxy: TcpProxy, url: string): string {
  const by = new URL(url);
  by.hostname = '127.0.0.1';
  by.port = String(proxy.port);
  return by.href;
}

export function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
