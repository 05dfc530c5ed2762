import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Problem } from '../core/problem.js';
import { listenPrivately } from '../http/server/private-socket.js';
import { type ControlCommands, type ControlLine } from './control-protocol.js';

export interface ControlServer {
  close(): Promise<void>;
}

/**
 * Listens on a socket that only the service's own user may open. Requires the data directory's lock, so that an
 * existing socket is a leftover.
 */
export async function controlServer(path: string, commands: ControlCommands): Promise<ControlServer> {
  const server = createServer((request, response) => {
    void answer(commands, request, response);
  });
  await listenPrivately(server, path);
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
    response.write(`${JSON.stringify(line)}\n`);
  };
  try {
    const name = request.url?.slice(1) ?? '';
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) throw new Problem('not-found', `The service has no command ${name}`);
    const input: unknown = JSON.parse(await text(request));
    const report = (progress: unknown): void => {
      say({ progress });
    };
    say({ result: (await command(input, report)) ?? null });
  } catch (error) {
    say({ error: error instanceof Error ? error.message : String(error) });
  }
  response.end();
}
