/** A way to a MongoDB on which the server, as if its disk were full, refuses to write. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { BSON } from 'mongodb';
import { withOptions } from './options.js';

const OP_MSG = 2013;
const HEADER = 16;
const WRITES: readonly string[] = ['insert', 'update', 'delete', 'findAndModify', 'createIndexes', 'create'];
const REFUSAL = {
  ok: 0,
  code: 14_031,
  codeName: 'OutOfDiskSpace',
  errmsg: 'available disk space is less than required',
};

/** Resolves to the URL of the server's database by that way. */
export async function refusingWrites(url: string): Promise<{ readonly url: string; readonly stop: () => void }> {
  const { hostname, port, pathname, search } = new URL(url);
  const server = createServer((client) => {
    const target = connect({ host: hostname, port: Number(port) });
    target.pipe(client);
    for (const [from, to] of [[client, target] as const, [target, client] as const]) {
      from.on('error', () => from.destroy());
      from.on('close', () => to.destroy());
    }
    let left = Buffer.alloc(0);
    client.on('data', (sent: Buffer) => {
      left = Buffer.concat([left, sent]);
      while (left.length >= 4 && left.length >= left.readInt32LE(0)) {
        const message = left.subarray(0, left.readInt32LE(0));
        left = left.subarray(message.length);
        if (WRITES.includes(commandIn(message))) client.write(answerTo(message));
        else target.write(message);
      }
    });
  }).listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  return {
    url: withOptions(`mongodb://127.0.0.1:${own}${pathname}${search}`, 'directConnection=true'),
    stop: () => server.close(),
  };
}

/** The first name in the first document, which the driver puts before all others. */
function commandIn(message: Buffer): string {
  if (message.readInt32LE(12) !== OP_MSG || message[HEADER + 4] !== 0) return '';
  const length = message.readInt32LE(HEADER + 5);
  return Object.keys(BSON.deserialize(message.subarray(HEADER + 5, HEADER + 5 + length)))[0] ?? '';
}

function answerTo(message: Buffer): Buffer {
  const document = BSON.serialize(REFUSAL);
  const head = Buffer.alloc(HEADER + 5);
  for (const [index, value] of [head.length + document.length, 1, message.readInt32LE(4), OP_MSG].entries()) {
    head.writeInt32LE(value, 4 * index);
  }
  return Buffer.concat([head, document]);
}
