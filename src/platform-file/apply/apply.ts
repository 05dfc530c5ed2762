/** Brings the platform to what a file says. The same file again appends nothing. */
import { type Clock } from '../../core/clock.js';
import { inTurns, reportsHandled } from '../../core/concurrency/others-turn.js';
import { messageOf, retryUntil } from '../../core/concurrency/retry.js';
import { type EventLog, type EventReader } from '../../core/event-log.js';
import { type IdAllocator } from '../../core/ids.js';
import { Problem } from '../../core/problem.js';
import { type ReadModels } from '../../core/read-models.js';
import { type Definitions } from '../../definitions/definitions.js';
import { PLATFORM_STREAM } from '../../platform/platform-events.js';
import { projectStream } from '../../projects/project-events.js';
import { trackerStream } from '../../trackers/tracker-events.js';
import { cutOffCreations, finishCreations } from './cut-off-creations.js';
import { execute, type Planned } from './execute.js';
import { addHashes, presentPasswords, type Hashes, type Passwords } from './passwords.js';
import { settled } from './settled.js';
import { type Complaint } from '../format/file-error.js';
import { type Outcome } from '../format/outcome.js';
import { type PlatformFile } from '../format/platform-schema.js';
import { plan, type Plan } from '../plan/plan.js';
import { newThingsIn, withIds, type IdKind } from '../plan/new-things.js';
import { inWords } from '../plan/plan-step.js';

export interface PlanOptions {
  /** Of the form that the schema describes. */
  readonly file: PlatformFile;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: EventReader;
  readonly definitions: Definitions;
  readonly readModels: ReadModels;
  readonly passwords: Passwords;
  readonly prune: boolean;
  /** Lets pruning suspend the last site administrator. */
  readonly force?: boolean;
  /** Called for each password and each step. */
  readonly onProgress?: () => void;
  /** Aborts once nobody waits for the outcome, or another process may apply a file. */
  readonly ended?: AbortSignal | undefined;
}

export interface ApplyOptions extends PlanOptions {
  readonly log: EventLog;
  /** Always the same allocator for a kind. */
  readonly ids: (kind: IdKind) => IdAllocator;
  readonly clock: Clock;
}

/** How often another process may be first before this one fails. */
const PATIENCE = { patienceMs: 0, fewestTries: 10, firstPauseMs: 100, longestPauseMs: 1000 };

/** What applying the file would change. */
export async function planPlatform(options: PlanOptions): Promise<Outcome> {
  const { plan: made } = await planned(options);
  if (made.complaints.length > 0) return { complaints: made.complaints };
  return { steps: [...(await cutOffCreations(options)), ...made.steps.map(inWords)] };
}

/** Answers once the read models show it. With complaints, nothing of the file was appended. */
export async function applyPlatform(options: ApplyOptions): Promise<Outcome> {
  const taken: string[] = [];
  try {
    return await applied(options, taken);
  } catch (error) {
    throw taken.length === 0 ? error : withCount(error, taken.length);
  }
}

/** What was stored before the error would otherwise be told nowhere. */
function withCount(cause: unknown, count: number): Error {
  const applied = count === 1 ? '1 change was' : `${count} changes were`;
  const message = `${messageOf(cause)}. ${applied} applied before: apply the file again`;
  if (!(cause instanceof Problem)) return new Error(message, { cause });
  const { kind, retryAfter } = cause;
  return new Problem(kind, message, retryAfter === undefined ? {} : { retryAfter });
}

async function applied(options: ApplyOptions, taken: string[]): Promise<Outcome> {
  const hashes: Hashes = new Map();
  const onTaken = (words: string): void => {
    taken.push(words);
  };
  const attempt = async (): Promise<readonly Complaint[] | null> => {
    await settled(options);
    if (await finishCreations(options, onTaken)) await settled(options);
    return carryOut({ ...options, hashes }, onTaken);
  };
  const complaints = await retryUntil(attempt, PATIENCE);
  if (complaints === null) {
    throw new Problem('unavailable', 'Other processes are changing the platform; retry later');
  }
  if (complaints.length > 0) return { complaints };
  if (taken.length > 0) await settled(options);
  return { steps: taken };
}

interface CarryOutOptions extends ApplyOptions {
  /** What earlier tries have hashed. */
  readonly hashes: Hashes;
}

/** What is wrong with the file. Null when a step was not this one's to take, so that the rest is out of date. */
async function carryOut(
  options: CarryOutOptions,
  onTaken: (words: string) => void,
): Promise<readonly Complaint[] | null> {
  const { clock, ids, ended, onProgress, hashes } = options;
  const { plan: made, revisions } = await planned(options);
  if (made.complaints.length > 0) return made.complaints;
  // It takes long, and may be refused beside many who sign in: not between a step that takes rights and one that gives.
  await addHashes(hashes, made.steps, options);
  const withDrawnIds = idDrawer(made.newThings, ids);
  for (const [index, step] of made.steps.entries()) {
    // The read models follow the log one by one: one that is ahead would give rights before another takes them away.
    if (beginsStage(made.steps, index)) await settled(options);
    const by = { actor: null, at: clock().toISOString() };
    await reportsHandled();
    ended?.throwIfAborted();
    if (!(await execute(await withDrawnIds(step), { ...options, planned: revisions, by }))) return null;
    onTaken(inWords(step));
    onProgress?.();
  }
  return [];
}

const beginsStage = (steps: Plan['steps'], index: number): boolean =>
  index > 0 && steps[index]?.stage !== steps[index - 1]?.stage;

/** The revisions are those from before the plan: a change while it is made outdates its steps. */
async function planned(options: PlanOptions): Promise<{ readonly plan: Plan; readonly revisions: Planned }> {
  const { file, definitions: present, env, prune, force = false } = options;
  const passwords = await presentPasswords(file, options);
  const revisions = revisionsOf(present);
  return { plan: await inTurns(plan({ file, present, presentPasswords: passwords, env, prune, force })), revisions };
}

function revisionsOf(definitions: Definitions): Planned {
  const revisions: Planned = new Map([[PLATFORM_STREAM, definitions.platform().revision]]);
  for (const project of definitions.projects()) {
    revisions.set(projectStream(project.id), project.revision);
    for (const { id, view } of definitions.trackersOf(project.id)) revisions.set(trackerStream(id), view.revision);
  }
  return revisions;
}

/** Draws an id for something new at the first step that names it: the one that creates it. */
function idDrawer(newThings: Plan['newThings'], ids: ApplyOptions['ids']) {
  const drawn = new Map<number, number>();
  const idOf = (newThing: number): number => known(drawn, newThing);
  return async <Step>(step: Step): Promise<Step> => {
    for (const newThing of newThingsIn(step)) {
      if (!drawn.has(newThing)) drawn.set(newThing, await ids(known(newThings, newThing)).next());
    }
    return withIds(step, idOf);
  };
}

function known<Value>(values: ReadonlyMap<number, Value>, newThing: number): Value {
  const value = values.get(newThing);
  if (value === undefined) throw new Error(`the plan brings in nothing that is called ${newThing}`);
  return value;
}
