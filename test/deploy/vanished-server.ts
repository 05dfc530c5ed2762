/** A port of this machine that answers nobody who wants to connect, as if its machine was gone. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

export interface VanishedServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const BACKLOG = 1;

/** It listens, and then never takes a connection again. */
const LISTENING = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer().listen(0, '127.0.0.1', ${BACKLOG}, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

export async function vanishedServer(): Promise<VanishedServer> {
  const worker = new Worker(LISTENING, { eval: true });
  const [port] = await once(worker, 'message');
  // The system makes connections until one more than the backlog wait to be taken. It drops what asks for others.
  const waiting = Array.from({ length: BACKLOG + 1 }, () => connect(port, '127.0.0.1'));
  await Promise.all(waiting.map((socket) => once(socket, 'connect')));
  const close = async (): Promise<void> => {
    for (const socket of waiting) socket.destroy();
    await worker.terminate();
  };
  return { port, close };
}
