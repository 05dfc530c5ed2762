/** Opens the port of the service. */
import { once } from 'node:events';
import { type AddressInfo, type Server } from 'node:net';
import { codeOf } from '../../core/concurrency/retry.js';

/** Connections that are not taken yet. The system drops more of them; their clients try again after a second or more. */
const MOST_WAITING = 4096;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Rejects with the reason, in terms of the configuration. */
export async function listen(server: Server, { host, port }: Address): Promise<Address> {
  server.listen({ port, host, backlog: MOST_WAITING });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`The service cannot listen on ${host}, port ${port}: ${hindrance(error)}`, { cause: error });
  }
  const bound = server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

function hindrance(error: unknown): string {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') return 'another process does already (PORT)';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'this machine has no such address (HOST)';
  if (code === 'EACCES') return 'it may not use that port (PORT)';
  return String(error);
}
