/** Brings the platform to what a file says. The same file again appends nothing. */
import { type Clock } from '../../core/clock.js';
import { retryUntil } from '../../core/concurrency/retry.js';
import { type EventLog } from '../../core/event-log.js';
import { type IdAllocator } from '../../core/ids.js';
import { Problem } from '../../core/problem.js';
import { type ReadModels } from '../../core/read-models.js';
import { type Definitions } from '../../definitions/definitions.js';
import { projectStream } from '../../projects/project-events.js';
import { trackerStream } from '../../trackers/tracker-events.js';
import { execute, type Planned } from './execute.js';
import { PLANNED_ON } from './planned-on.js';
import { presentPasswords, type Passwords } from './passwords.js';
import { plan, type Plan, type PlanInput } from '../plan/plan.js';
import { parsePlatformFile, refuse, type ParsedFile } from '../format/platform-file.js';
import { newThingsIn, withIds, type IdKind } from '../plan/new-things.js';
import { inWords } from '../plan/plan-step.js';

export interface PlanOptions {
  /** YAML or JSON. */
  readonly text: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly definitions: Definitions;
  readonly passwords: Passwords;
  readonly prune: boolean;
  /** Lets pruning suspend the last site administrator. */
  readonly force?: boolean;
  /** Called for each password and each step. */
  readonly onProgress?: () => void;
}

export interface ApplyOptions extends PlanOptions {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  /** Always the same allocator for a kind. */
  readonly ids: (kind: IdKind) => IdAllocator;
  readonly clock: Clock;
}

/** How often another process may be first before this one fails. */
const PATIENCE = { patienceMs: 0, fewestTries: 10, firstPauseMs: 100, longestPauseMs: 1000 };
const SETTLED_WITHIN_MS = 30_000;

/** What applying the file would change, in words. Throws InvalidPlatformFile. */
export async function planPlatform(options: PlanOptions): Promise<readonly string[]> {
  const parsed = parsePlatformFile(options.text);
  const { steps } = validPlan(parsed, options, await presentPasswords(parsed.file, options));
  return steps.map(inWords);
}

/** Answers once the read models show it. Throws InvalidPlatformFile, having appended nothing. */
export async function applyPlatform(options: ApplyOptions): Promise<{ readonly steps: readonly string[] }> {
  const parsed = parsePlatformFile(options.text);
  const taken: string[] = [];
  const attempt = async (): Promise<true | null> => {
    await settled(options);
    return (await carryOut(parsed, options, (words) => taken.push(words))) ? true : null;
  };
  if ((await retryUntil(attempt, PATIENCE)) === null) {
    throw new Problem('unavailable', 'Other processes are changing the platform; apply the file again');
  }
  if (taken.length > 0) await settled(options);
  return { steps: taken };
}

/** False when a step was not this one's to take, so that the rest is out of date. */
async function carryOut(parsed: ParsedFile, options: ApplyOptions, onTaken: (words: string) => void): Promise<boolean> {
  const { clock, ids, definitions, onProgress } = options;
  const { steps, newThings } = validPlan(parsed, options, await presentPasswords(parsed.file, options));
  const planned = revisionsOf(definitions);
  const withDrawnIds = idDrawer(newThings, ids);
  for (const step of steps) {
    const by = { actor: null, at: clock().toISOString() };
    if (!(await execute(await withDrawnIds(step), { ...options, planned, by }))) return false;
    onTaken(inWords(step));
    onProgress?.();
  }
  return true;
}

/** Taken in the same turn as the plan. */
function revisionsOf(definitions: Definitions): Planned {
  return new Map(
    definitions
      .projects()
      .flatMap((project) => [
        [projectStream(project.id), project.revision] as const,
        ...definitions.trackersOf(project.id).map(({ id, view }) => [trackerStream(id), view.revision] as const),
      ]),
  );
}

function validPlan(
  { file, located }: ParsedFile,
  { definitions, env, prune, force = false }: PlanOptions,
  presentPasswords: PlanInput['presentPasswords'],
): Plan {
  const made = plan({ file, present: definitions, presentPasswords, env, prune, force });
  refuse(located(made.complaints));
  return made;
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

/** The definitions hold all that is in the log. */
async function settled({ log, readModels }: ApplyOptions): Promise<void> {
  const end = await log.end();
  if (end === null) return;
  const reached = await Promise.all(PLANNED_ON.map((name) => readModels.caughtUp(name, end, SETTLED_WITHIN_MS)));
  if (reached.includes(false)) throw new Problem('unavailable', 'The read models are behind', { retryAfter: 30 });
}
