/** What a projector says of itself, to those who read and to those who watch. */
import { type Mark } from '../../src/core/marks.js';
import { type GenerationProgress } from './generation-progress.js';
import { heldEvent, NotHeld, type Missing } from './held-event.js';
import { type ProjectorOptions, type ProjectorState } from './projection-status.js';
import { Poisoned } from './readable-batches.js';
import { PermanentError, messageOf, retry, type OnRetry } from '../../src/core/concurrency/retry.js';
import { type CheckpointFlusher } from './checkpoint-flusher.js';
import { type Condition } from '../../src/core/concurrency/condition.js';
import { type SerialQueue } from '../../src/core/concurrency/serial-queue.js';

export interface Context extends ProjectorOptions {
  readonly state: ProjectorState;
  /** What `state` says. */
  readonly changed: Condition;
  readonly enqueue: SerialQueue;
  readonly flusher: CheckpointFlusher;
}

export function adopt(context: Context, generation: GenerationProgress): GenerationProgress {
  Object.assign(context.state, { generation, isHeld: true, stopped: null, trouble: null });
  context.flusher.flushed();
  told(context, generation, generation.projection.models, [...generation.marks.values()]);
  return generation;
}

/** Of one batch, or one filling. */
const MOST_REPORTED = 100;

export function told(
  { report, changed }: Context,
  { projection, run, position }: GenerationProgress,
  models: readonly string[],
  marked: readonly Mark[] = [],
): void {
  const { name } = projection;
  const news = marked.length > 0 ? { marked } : {};
  report({ type: 'progress', projection: name, run, position, models, ...news });
  for (const mark of marked.slice(0, MOST_REPORTED))
    report({ type: 'marked', projection: name, reason: mark.reason, mark });
  changed.notify();
}

export async function stop(context: Context, error: PermanentError): Promise<void> {
  const { projection, ports, state, report, changed } = context;
  const poison = error instanceof Poisoned ? error.poison : null;
  const serving = (): Promise<unknown> => ports.store.serving(projection.name);
  const isServed = state.generation !== null || (await retry(serving, ports.signal, trouble(context))) !== null;
  state.stopped = { reason: error.message, poison };
  report({ type: 'stopped', projection: projection.name, reason: error.message, poison, isServed });
  changed.notify();
}

/** Throws PermanentError where the log is not the one that the read models were made from. */
export async function withdraw(context: Context, missing: Missing): Promise<void> {
  const { projection, ports, state, isOwnLog, report } = context;
  const { name, models } = projection;
  if (!(await isOwnLog()))
    throw new PermanentError(`The log is not the one that ${name} was made from: ${ANOTHER_LOG}`);
  Object.assign(state, { generation: null, isHeld: false });
  context.flusher.flushed();
  await ports.store.withdraw(name);
  report({ type: 'withdrawn', projection: name, models, ...missing });
}

const ANOTHER_LOG = 'it is empty, or has another first event; what is served stays as it is';

/** What is served may be of another version than this program's. */
export async function withdrawUnlessHeld(context: Context): Promise<void> {
  const { projection, ports } = context;
  const run = await ports.store.serving(projection.name);
  const checkpoint = run === null ? null : await ports.store.checkpoint(projection.name, run);
  if (checkpoint === null) return;
  try {
    await heldEvent(ports.log, projection.name, checkpoint);
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error;
    await withdraw(context, error.missing);
  }
}

export function trouble({ projection, state, report }: Pick<Context, 'projection' | 'state' | 'report'>): OnRetry {
  return (error, retryInMs) => {
    state.trouble = messageOf(error);
    report({ type: 'troubled', projection: projection.name, reason: state.trouble, retryInMs });
  };
}
