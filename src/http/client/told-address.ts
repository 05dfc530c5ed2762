/** The client's address, of a request that another process of the service passes on. */
import { type IncomingMessage } from 'node:http';

const NAME = 'x-passed-on-for';

const told = new WeakMap<IncomingMessage, string>();

export const addressHeader = {
  name: NAME,
  of: ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '',
};

/** To be called only for requests that no client can send itself: whoever sends the header chooses the address. */
export function believeAddress(request: IncomingMessage): void {
  told.set(request, String(request.headers[NAME] ?? ''));
}

/** Undefined for a request on the connection of its client. */
export const toldAddress = (request: IncomingMessage): string | undefined => told.get(request);
