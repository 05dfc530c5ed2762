import { type IncomingMessage } from 'node:http';
import { Problem } from '../../core/problem.js';
import { codeOf } from '../../core/concurrency/retry.js';
import { decompression, type Decompress } from './decompression.js';

/** In bytes: how much of a body is read before its sender is authenticated. */
const UNKNOWN_SENDER_LIMIT = 65_536;
/** In bytes: how much of a refused body is still read, so that its sender reads the answer. */
const DRAINED = 4_194_304;

interface Reading {
  readonly kind: 'body' | 'form';
  /** In bytes, as it comes and decompressed. */
  readonly limit: number;
  /**
   * Throws what those are answered who may not send a body. Called once, before more is read than a stranger may send,
   * before anything is decompressed, and where strangers have no room.
   */
  readonly identify: () => Promise<unknown>;
  /** Whether a body, which takes so many bytes of memory by now, has room beside others. As a last resort it throws if not. */
  readonly hold: (bytes: number, isLastResort: boolean) => boolean;
  /** Aborts when the client leaves. */
  readonly gone: () => AbortSignal;
}

/** A whole body as text. */
export async function readBody(request: IncomingMessage, reading: Reading): Promise<string> {
  try {
    return textOf(await wholeBody(request, reading));
  } catch (error) {
    drain(request);
    throw error;
  }
}

async function wholeBody(request: IncomingMessage, reading: Reading): Promise<Buffer> {
  const { limit } = reading;
  let isIdentified = false;
  const identify = async (): Promise<void> => {
    if (isIdentified) return;
    isIdentified = true;
    await reading.identify();
  };
  const admit = async (bytes: number): Promise<void> => {
    if (bytes > UNKNOWN_SENDER_LIMIT) await identify();
    if (bytes > limit) throw tooLarge(reading);
  };
  const hold = async (bytes: number): Promise<void> => {
    if (reading.hold(bytes, isIdentified)) return;
    await identify();
    reading.hold(bytes, true);
  };
  const announced = request.headers['content-length'];
  await admit(Number(announced ?? 0));
  const decompress = decompression(request.headers['content-encoding']);
  const body = await received(request, { most: Number(announced ?? limit), admit, hold });
  if (decompress === undefined) return body;
  await identify();
  return decompressed(body, decompress, reading);
}

interface Receiving {
  /** In bytes: how long the body may become. */
  readonly most: number;
  readonly admit: (bytes: number) => Promise<void>;
  readonly hold: (bytes: number) => Promise<void>;
}

/** The chunks themselves may take hundreds of times the bytes that they hold. */
async function received(request: IncomingMessage, { most, admit, hold }: Receiving): Promise<Buffer> {
  let body: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of readable(request)) {
    if (!Buffer.isBuffer(chunk)) continue;
    const from = bytes;
    bytes += chunk.length;
    await admit(bytes);
    // Bytes that are only announced take no memory.
    const room = bytes > body.length ? Math.min(most, Math.max(bytes, 2 * body.length)) : body.length;
    // Also of what is held already: its sender may have been identified meanwhile.
    await hold(room);
    if (room > body.length) {
      const larger = Buffer.allocUnsafeSlow(room);
      body.copy(larger);
      body = larger;
    }
    chunk.copy(body, from);
  }
  return body.subarray(0, bytes);
}

async function decompressed(body: Buffer, decompress: Decompress, reading: Reading): Promise<Buffer> {
  try {
    const plain = await decompress(body, reading.limit, reading.gone());
    reading.hold(plain.length, true);
    return plain;
  } catch (error) {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(reading) : judged(error);
  }
}

const tooLarge = ({ kind, limit }: Reading): Problem =>
  new Problem('too-large', `a ${kind} holds at most ${limit} bytes`);

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

/** Judges errors of the request alone: others are no fault of the body. */
async function* readable(request: IncomingMessage): AsyncGenerator<unknown, void, void> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw judged(error);
  }
}

/** A body that is cut off, or compressed in another way than it says, cannot be read. */
const judged = (error: unknown): unknown =>
  /^(Z_|ERR_|ECONN|E?PIPE)/.test(String(codeOf(error))) ? new Problem('invalid', 'The body cannot be read') : error;
