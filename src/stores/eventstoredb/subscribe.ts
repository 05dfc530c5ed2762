import { START, streamNameFilter } from '@eventstore/db-client';
import { type Batch, type Position } from '../../core/event-log.js';
import { batches } from './batches.js';
import { type StoreContext } from './context.js';
import { TransientError, IdleTimeout } from './errors.js';
import { storePosition } from './position.js';
import { BUFFER, streamReader, type StreamReader } from './stream-reader.js';
import { isBehind } from './read-all.js';
import { type Resolved } from './codec.js';
import { resumed } from './resubscribe.js';

/**
 * However a subscription of the server ends, in order, with an error or in silence, the next one begins after the last
 * event that was handed over. The positions that the server reports of its own are no more than signs of life.
 */
export function subscribe(
  context: StoreContext,
  end: () => Promise<Position | null>,
  after: Position | null,
  leftOut: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  const { names, timing, closing } = context;
  const over = AbortSignal.any([signal, closing]);

  async function* stretch(from: Position | null, answerMs: number) {
    let position = from;
    const source = open(context, from, over);
    const isMissing = async () => isBehind(position, await end());
    let first = Math.max(timing.silence, answerMs);
    const next = (): Promise<Resolved | null> => {
      const idleTimeouts = { first, later: timing.silence };
      first = timing.silence;
      return nextOf(source, idleTimeouts, isMissing);
    };
    const gathering = { pull: source, next, eager: true };
    try {
      for await (const read of batches(gathering, { names, leftOut, after: from })) {
        position = read.scanned;
        yield read;
      }
    } finally {
      source.stop();
    }
    throw new TransientError('EventStoreDB has ended the subscription');
  }
  return resumed(context, { after, looksFirst: true, signal, over, patience: Infinity, stretch });
}

function open({ connections, prefix }: StoreContext, after: Position | null, over: AbortSignal): StreamReader {
  const { client, lost } = connections.current();
  const alive = () => {
    source.alive();
  };
  const subscription = client.subscribeToAll(
    {
      fromPosition: after === null ? START : storePosition(after),
      // May let pass what is of another installation, and is sorted out like in any reading.
      filter: streamNameFilter({ checkpointInterval: 1, checkpointReached: alive, prefixes: [prefix] }),
    },
    BUFFER,
  );
  const source = streamReader(subscription, over, lost);
  subscription.on('confirmation', alive);
  subscription.on('caughtUp', alive);
  return source;
}

/** Waits as long as it takes, unless the server keeps silent about what it has. */
async function nextOf(
  source: StreamReader,
  { first, later }: { readonly first: number; readonly later: number },
  isMissing: () => Promise<boolean>,
): Promise<Resolved | null> {
  for (let idleTimeout = first; ; idleTimeout = later) {
    try {
      return await source.next(idleTimeout);
    } catch (error) {
      if (!(error instanceof IdleTimeout)) throw error;
      if (await isMissing()) throw new TransientError('The subscription is silent though the log has gone on');
    }
  }
}
