/** What a lane says of itself, to those who read and to those who watch. */
import { type Mark } from '../../src/core/marks.js';
import { type Target } from './target.js';
import { type Missing } from './held-event.js';
import { type LaneOptions, type LaneState } from './projection-status.js';
import { Poisoned } from './readable-batches.js';
import { PermanentError, messageOf, retry, type OnRetry } from '../../src/core/concurrency/retry.js';
import { type Saving } from './checkpoint-flusher.js';
import { type Condition } from '../../src/core/concurrency/condition.js';
import { type SerialQueue } from '../../src/core/concurrency/serial-queue.js';

export interface Context extends LaneOptions {
  readonly state: LaneState;
  /** What `state` says. */
  readonly changed: Condition;
  readonly enqueue: SerialQueue;
  readonly saving: Saving;
}

export function adopt(context: Context, target: Target): Target {
  Object.assign(context.state, { target, isHeld: true, stopped: null, trouble: null });
  context.saving.done();
  told(context, target, target.projection.models, [...target.marks.values()]);
  return target;
}

/** Of one batch, or one filling. */
const MOST_REPORTED = 100;

export function told(
  { report, changed }: Context,
  { projection, run, position }: Target,
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
  const isServed = state.target !== null || (await retry(serving, ports.signal, trouble(context))) !== null;
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
  Object.assign(state, { target: null, isHeld: false });
  context.saving.done();
  await ports.store.withdraw(name);
  report({ type: 'withdrawn', projection: name, models, ...missing });
}

const ANOTHER_LOG = 'it is empty, or has another first event; what is served stays as it is';

export function trouble({ projection, state, report }: Pick<Context, 'projection' | 'state' | 'report'>): OnRetry {
  return (error, retryInMs) => {
    state.trouble = messageOf(error);
    report({ type: 'troubled', projection: projection.name, reason: state.trouble, retryInMs });
  };
}
