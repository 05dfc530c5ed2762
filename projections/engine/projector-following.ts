/** The live updates of a projection, from where its served generation stands. */
import { applyBatch, typesWithoutUse, type Applicable } from './apply-batch.js';
import { type GenerationProgress } from './generation-progress.js';
import { assertHeld } from './held-event.js';
import { adopt, happened, onRetryOf, reportProgress, type Context } from './projector-reports.js';
import { batchesFor, Poisoned } from './readable-batches.js';
import { giveUp } from './stop-projection.js';
import { PermanentError, retry } from '../../src/core/concurrency/retry.js';

/** Applies what the log gives until the signal aborts or an event cannot be read or applied. */
export async function follow(context: Context, signal: AbortSignal): Promise<void> {
  const { projection, ports, state } = context;
  const leftOut = typesWithoutUse(projection, ports.eventTypes);
  const read = async (progressed: () => void): Promise<void> => {
    await compare(context);
    const after = state.status.served?.position ?? null;
    try {
      for await (const batch of batchesFor(projection, ports.eventTypes, ports.log.subscribe(after, leftOut, signal))) {
        for (let rest: Applicable | null = batch; rest !== null && !signal.aborted;) {
          rest = await take(context, rest);
          progressed();
        }
      }
    } catch (error) {
      if (error instanceof Poisoned) await context.flusher.flush();
      throw error;
    }
  };
  try {
    await retry(read, signal, onRetryOf(context));
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof PermanentError)) throw error;
    await giveUp(context, error, signal);
  }
}

/** Before each subscription: what it goes on after may not be in the log any more. Throws NotHeld. */
async function compare(context: Context): Promise<void> {
  const { projection, ports, state, changed } = context;
  const { served } = state.status;
  if (served === null) return;
  await assertHeld(ports.log, projection.name, served);
  state.isHeld = true;
  changed.notify();
}

/** Answers with what is left to take. */
async function take(context: Context, batch: Applicable): Promise<Applicable | null> {
  const { served } = context.state.status;
  return served === null ? null : taking(context, () => apply(context, served, batch));
}

async function taking<T>({ state }: Context, work: () => Promise<T>): Promise<T> {
  state.isTaking = true;
  try {
    return await work();
  } finally {
    state.isTaking = false;
  }
}

/** The position of a generation is not saved while another one takes its place: the store removes it. */
export function switched(context: Context, work: () => Promise<GenerationProgress>): Promise<GenerationProgress> {
  return taking(context, async () => {
    await context.flusher.settled();
    return adopt(context, await work());
  });
}

async function apply(context: Context, progress: GenerationProgress, batch: Applicable): Promise<Applicable | null> {
  const { projection, ports, recent } = context;
  const target = { store: ports.store, projection, recent };
  const { position, event, models, poison, rest, marks, marked } = await applyBatch(target, progress, batch);
  const now = { ...progress, position, event, marks };
  happened(context, { type: 'progressed', progress: now });
  if (models.length > 0 || marked.length > 0) context.flusher.flushed();
  else if (position !== progress.position) context.flusher.schedule();
  if (position !== progress.position) reportProgress(context, now, models, marked);
  if (poison !== null) throw new Poisoned(projection.name, poison);
  return rest;
}

/** Ends the following of what is served, so that other work has its turn. */
export function interrupt(state: Context['state']): void {
  state.pause.abort();
  state.pause = new AbortController();
}
