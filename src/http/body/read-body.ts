import { type IncomingMessage } from 'node:http';
import { type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { Problem } from '../../core/problem.js';
import { codeOf } from '../../core/concurrency/retry.js';

/** In bytes: how much of a body is read before its sender is authenticated. */
const UNKNOWN_SENDER_LIMIT = 65_536;
/** In bytes: how much of a refused body is still read, so that its sender reads the answer. */
const DRAINED = 4_194_304;

interface Limits {
  /** In bytes, decompressed. */
  readonly limit: number;
  /** Throws what those are answered who may not send a body. Called once, before more is read than a stranger may send. */
  readonly identify: () => Promise<unknown>;
  /** Throws if a long body, of which so many bytes have come, is too much beside others. */
  readonly hold: (bytes: number) => void;
}

/** A whole body as text. */
export async function readBody(request: IncomingMessage, { limit, identify, hold }: Limits): Promise<string> {
  let body: Buffer = Buffer.alloc(0);
  let bytes = Number(request.headers['content-length'] ?? 0);
  let isIdentified = false;
  let source: Readable | undefined;
  const admit = async (): Promise<void> => {
    if (bytes > UNKNOWN_SENDER_LIMIT && !isIdentified) {
      isIdentified = true;
      await identify();
    }
    if (bytes > limit) throw new Problem('too-large', `a body holds at most ${limit} bytes`);
  };
  try {
    await admit();
    bytes = 0;
    source = decompressed(request);
    for await (const chunk of readable(source)) {
      if (!Buffer.isBuffer(chunk)) continue;
      const from = bytes;
      bytes += chunk.length;
      await admit();
      if (bytes > UNKNOWN_SENDER_LIMIT) hold(bytes);
      body = withRoomFor(bytes, body);
      chunk.copy(body, from);
    }
  } catch (error) {
    drain(request);
    if (source !== request) source?.destroy();
    throw error;
  }
  return textOf(body.subarray(0, bytes));
}

/** The chunks themselves may take hundreds of times the bytes that they hold. */
function withRoomFor(bytes: number, body: Buffer): Buffer {
  if (bytes <= body.length) return body;
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * body.length));
  body.copy(larger);
  return larger;
}

/** What is no UTF-8 would be stored as another text. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('invalid', 'The body is not UTF-8');
  }
}

function drain(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= DRAINED) return;
    request.pause();
    request.socket.destroySoon();
  });
  request.resume();
}

function decompressed(request: IncomingMessage): Readable {
  switch (request.headers['content-encoding']?.toLowerCase() ?? 'identity') {
    case 'identity':
      return request;
    case 'gzip':
    case 'deflate':
      return through(request, createUnzip());
    case 'br':
      return through(request, createBrotliDecompress());
    default:
      throw new Problem('unsupported', 'Unsupported Content-Encoding; use gzip, deflate, br or identity');
  }
}

/** Ends with the request also where that was cut off. Fails harmlessly once the client has gone. */
function through(request: IncomingMessage, decompression: Transform): Readable {
  decompression.on('error', () => undefined);
  const cutOff = (): void => {
    decompression.destroy(Object.assign(new Error('cut off'), { code: 'ECONNRESET' }));
  };
  request.once('close', () => {
    if (!request.readableEnded) cutOff();
  });
  // While its sender was identified, for one.
  if (request.destroyed) cutOff();
  return request.pipe(decompression);
}

/** Judges errors of the source alone: others are no fault of the body. */
async function* readable(source: Readable): AsyncGenerator<unknown, void, void> {
  try {
    yield* source.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw isUnreadable(error) ? new Problem('invalid', 'The body cannot be read') : error;
  }
}

/** Cut off, or compressed in another way than it says. */
function isUnreadable(error: unknown): boolean {
  return /^(Z_|ERR_|ECONN|E?PIPE)/.test(String(codeOf(error)));
}
