/** The messages between the projections' thread and the requests' thread. */
import { type MessagePort } from 'node:worker_threads';
import { type Notice } from '../engine/projector-reports.js';
import { type ProjectionStatus } from '../engine/projection-status.js';
import { type RebuildProgress } from '../engine/filling/filling.js';
import { type RebuildResult } from '../engine/rebuild.js';

/** The first message: the thread begins with it. */
export interface ThreadData {
  /** Of the log. */
  readonly directory: string;
  /** The directory of the read models. */
  readonly readModels: string;
  /** Counts the changes of the read models; its memory is shared. */
  readonly changes: Int32Array;
  /** From the log: its end, after each commit. */
  readonly notices: MessagePort;
  /** Whether nobody waits for the read models; its memory is shared. */
  readonly unhurried: Int32Array;
}

export type ToThread =
  | {
      readonly type: 'rebuild';
      readonly request: number;
      readonly projection: string;
      readonly together: readonly string[];
    }
  | { readonly type: 'status'; readonly request: number }
  /** Somebody waits for the read models from now on. */
  | { readonly type: 'go-on' }
  | { readonly type: 'stop' };

export type FromThread =
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'ready' }
  | { readonly type: 'progress'; readonly request: number; readonly progress: RebuildProgress }
  | { readonly type: 'answer'; readonly request: number; readonly answer: RebuildResult | readonly ProjectionStatus[] };
