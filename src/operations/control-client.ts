import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { lineOf, type ControlLine } from './control-protocol.js';
import { joinedParts, partsOf } from './value-parts.js';
import { codeOf } from '../core/concurrency/retry.js';
import { shortened, withWholePath } from '../http/server/private-socket.js';

/** No service listens: the command does the work itself. */
export class NoService extends Error {
  override readonly name = 'NoService';
}

/** Sends a command to the running service and resolves to its result. Throws NoService where there is none. */
export async function askService(
  path: string,
  command: string,
  input: unknown,
  onProgress: (progress: unknown) => void,
): Promise<unknown> {
  const response = await send(path, command, input);
  const result = joinedParts();
  for await (const text of untilCutOff(createInterface({ input: response }))) {
    const line = lineIn(text);
    if ('error' in line) throw new Error(line.error);
    if ('end' in line && !result.isEmpty()) return result.whole();
    if ('part' in line) result.add(line.part);
    else if ('progress' in line) onProgress(line.progress);
    else throw new Error('The command is of another release than the service');
  }
  throw stopped();
}

const stopped = (cause?: unknown): Error => new Error('The service stopped before the command was complete', { cause });

/** Also of a socket that hangs up, and of an input that a service no longer reads. */
const isCutOff = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(String(codeOf(error)));

/** A service of another release may send anything. */
function lineIn(text: string): ControlLine | object {
  const line: unknown = JSON.parse(text);
  return typeof line === 'object' && line !== null ? line : {};
}

async function* untilCutOff(lines: AsyncIterable<string>): AsyncIterable<string> {
  try {
    yield* lines;
  } catch (error) {
    if (!isCutOff(error)) throw error;
  }
}

async function send(path: string, command: string, input: unknown): Promise<IncomingMessage> {
  const outgoing = request({ socketPath: shortened(path), method: 'POST', path: `/${command}` });
  for (const part of partsOf(input)) outgoing.write(lineOf(part));
  outgoing.end();
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') throw new NoService(`No service listens on ${path}`);
    throw isCutOff(error) ? stopped(error) : withWholePath(error, path);
  }
}
