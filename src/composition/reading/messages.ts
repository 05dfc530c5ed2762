/** What the main process and its reading processes send each other. */
import { type Config } from '../../config/config.js';

export interface Start {
  readonly config: Config;
  readonly version: string;
  /** The directory of the read models. */
  readonly readModels: string;
  /** The socket of the main process. */
  readonly socket: string;
  /** From 1. */
  readonly number: number;
}

export type ToReadingProcess =
  | { readonly type: 'start'; readonly start: Start }
  /** With the socket of a client. */
  | { readonly type: 'connection'; readonly connection: number }
  /** Whether every request goes to the main process. */
  | { readonly type: 'stand-aside'; readonly aside: boolean; readonly request: number }
  | { readonly type: 'close'; readonly patienceMs: number };

export type FromReadingProcess =
  | { readonly type: 'ready' }
  | { readonly type: 'took'; readonly connection: number }
  | { readonly type: 'stands'; readonly request: number };
