/** A server beside that of a service: a change comes while one of its requests waits for the read models. */
import { serve } from '../../src/composition/http-server.js';
import { client, type Client } from './client.js';
import { type RunningService } from './service.js';

const METHODS = ['getMany', 'getSlice', 'find', 'findSlice', 'findIds'] as const;
type Method = (typeof METHODS)[number];

export interface InterruptedReads {
  /** Another client after each suspension, which ends the tokens of a user. */
  reader(): Client;
  /** The change comes once, before the next reading by this method. */
  before(method: Method, change: () => Promise<unknown>): void;
  /** False while the change is still to come. */
  hasCome(): boolean;
  close(): Promise<void>;
}

export async function interruptedReads({ service, serving }: RunningService): Promise<InterruptedReads> {
  const { readModels } = service;
  let coming: { readonly method: Method; readonly change: () => Promise<unknown> } | undefined;
  const interrupted =
    (method: Method) =>
    async (...asked: unknown[]) => {
      const now = coming?.method === method ? coming : undefined;
      if (now !== undefined) coming = undefined;
      await now?.change();
      return (readModels[method] as (...asked: unknown[]) => Promise<unknown>)(...asked);
    };
  const methods = Object.fromEntries(METHODS.map((method) => [method, interrupted(method)]));
  const listening = await serve({
    ...serving,
    service: { ...service, readModels: { ...readModels, ...methods } },
  });
  return {
    reader: () => client(`http://127.0.0.1:${listening.port}`),
    before: (method, change) => {
      coming = { method, change };
    },
    hasCome: () => coming === undefined,
    close: () => listening.close(1000),
  };
}
