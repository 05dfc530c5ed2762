import { type ServerResponse } from 'node:http';

/**
 * A connection has one response at a time. Calls back once it is this one's turn, and never if the connection ends before:
 * Node does not close such a response.
 */
export function atItsTurn(response: ServerResponse, then: () => void): void {
  if (response.socket === null) response.once('socket', then);
  else then();
}
