import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { dirname } from 'node:path';
import { unusable } from '../config/data-directory.js';
import { reportsHandled, turnTaking } from '../core/concurrency/others-turn.js';
import { Problem } from '../core/problem.js';
import { listenPrivately } from '../http/server/private-socket.js';
import { lineOf, type ControlCommands, type ControlLine } from './control-protocol.js';
import { joinedParts, partsOf, type ValuePart } from './value-parts.js';
import { messageOf } from '../core/concurrency/retry.js';

export interface ControlServer {
  readonly close: () => Promise<void>;
}

/**
 * Listens on a socket that only the service's own user may open. Requires the data directory's lock, so that an
 * existing socket is a leftover.
 */
export async function controlServer(path: string, commands: ControlCommands): Promise<ControlServer> {
  const server = createServer((request, response) => {
    void answer(commands, request, response);
  });
  await listenPrivately(server, path).catch((error: unknown) => {
    throw unusable(dirname(path), error);
  });
  return {
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(commands: ControlCommands, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const say = (line: ControlLine): void => {
    response.write(lineOf(line));
  };
  const ended = endOf(request, response);
  try {
    const name = request.url?.slice(1) ?? '';
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) throw new Problem('not-found', `The service has no command ${name}`);
    const input = await inputOf(request);
    const report = (progress: unknown): void => {
      say({ progress });
    };
    // A service that was paused reads the commands of that time, also those that have ended since. What is missing of the
    // input of one that ended too early would be left out of a platform.
    await reportsHandled();
    ended.throwIfAborted();
    await sayInParts((await command(input, report, ended)) ?? null, say);
  } catch (error) {
    say({ error: messageOf(error) });
  }
  response.end();
}

function endOf({ socket }: IncomingMessage, response: ServerResponse): AbortSignal {
  const ending = new AbortController();
  const end = (): void => {
    ending.abort(new Problem('unavailable', 'The command has ended'));
  };
  // Comes before the close.
  socket.once('end', end);
  response.once('close', () => {
    socket.off('end', end);
    end();
  });
  return ending.signal;
}

/** A platform file has at most 128 MiB as a value, which its parts and their places repeat in part. */
const MAX_INPUT_CHARS = 256 * 1024 * 1024;

async function inputOf(request: IncomingMessage): Promise<unknown> {
  const input = joinedParts();
  const turn = turnTaking();
  let chars = 0;
  for await (const line of createInterface({ input: request })) {
    chars += line.length;
    if (chars > MAX_INPUT_CHARS) throw new Problem('too-large', 'The input of the command is larger than 256 MiB');
    input.add(partIn(line));
    await turn();
  }
  if (input.isEmpty()) throw new Problem('invalid', 'The command has no input');
  return input.whole();
}

function partIn(line: string): ValuePart {
  const part = JSON.parse(line) as Partial<ValuePart>;
  if (!Array.isArray(part.at)) throw new Problem('invalid', 'The command is of another release than the service');
  return part as ValuePart;
}

async function sayInParts(result: unknown, say: (line: ControlLine) => void): Promise<void> {
  const turn = turnTaking();
  for (const part of partsOf(result)) {
    say({ part });
    await turn();
  }
  say({ end: true });
}
