/** Brings the platform to what a file says. The same file again appends nothing. */
import { type Clock } from '../../core/clock.js';
import { retryUntil } from '../../core/concurrency/retry.js';
import { type EventLog } from '../../core/event-log.js';
import { type IdAllocator } from '../../core/ids.js';
import { Problem } from '../../core/problem.js';
import { type ReadModels } from '../../core/read-models.js';
import { type Directory } from '../../definitions/definitions.js';
import { projectStream } from '../../projects/project-events.js';
import { PROJECTS } from '../../projects/project-view.js';
import { PLATFORM } from '../../platform/platform-view.js';
import { trackerStream } from '../../trackers/tracker-events.js';
import { TRACKERS } from '../../trackers/tracker-view.js';
import { USERS } from '../../users/user-view.js';
import { execute, type Planned } from './execute.js';
import { newPasswords, type Passwords } from './new-passwords.js';
import { plan, type Plan, type PlanInput } from '../plan/plan.js';
import { parsePlatformFile, refuse, type ParsedFile } from '../format/platform-file.js';
import { ID_KINDS, type IdKind } from '../plan/resolver.js';
import { inWords } from '../plan/plan-step.js';
import { resumeCreations } from './resume-creations.js';

export interface PlanOptions {
  /** YAML or JSON. */
  readonly text: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: Directory;
  readonly passwords: Passwords;
  readonly prune: boolean;
  /** Lets pruning suspend the last site administrator. */
  readonly force?: boolean;
  /** Called for each user and each step. */
  readonly onProgress?: () => void;
}

export interface ApplyOptions extends PlanOptions {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  /** Always the same allocator for a kind. */
  readonly ids: (kind: IdKind) => IdAllocator;
  readonly clock: Clock;
}

/** How often another process may be first before this one gives up. */
const PATIENCE = { patienceMs: 0, fewestTries: 10, firstPauseMs: 100, longestPauseMs: 1000 };
const SETTLED_WITHIN_MS = 30_000;
/** Projections that a plan looks at. */
export const PLANNED_ON: readonly string[] = [USERS, PROJECTS, TRACKERS, PLATFORM];

/** What applying the file would change, in words. Throws InvalidPlatformFile. */
export async function planPlatform(options: PlanOptions): Promise<readonly string[]> {
  const parsed = parsePlatformFile(options.text);
  const { steps } = validPlan(parsed, options, countingIds().newId);
  const changed = await newPasswords(parsed.file, options, () => Promise.resolve(''));
  if (changed.size === 0) return steps.map(inWords);
  return validPlan(parsed, options, countingIds().newId, changed).steps.map(inWords);
}

/** Answers once the read models show it. Throws InvalidPlatformFile, having appended nothing. */
export async function applyPlatform(options: ApplyOptions): Promise<{ readonly steps: readonly string[] }> {
  const { log, clock, directory } = options;
  const parsed = parsePlatformFile(options.text);
  const taken: string[] = [];
  const attempt = async (): Promise<readonly string[] | null> => {
    await settled(options);
    validPlan(parsed, options, countingIds().newId);
    const by = { actor: null, at: clock().toISOString() };
    if (await resumeCreations(log, parsed.file, directory, by)) await settled(options);

    const { steps, isWhole } = await carryOut(parsed, options);
    taken.push(...steps);
    if (steps.length > 0) await settled(options);
    return isWhole ? taken : null;
  };
  const done = await retryUntil(attempt, PATIENCE);
  if (done !== null) return { steps: done };
  throw new Problem('unavailable', 'Other processes are changing the platform; apply the file again');
}

async function carryOut(
  parsed: ParsedFile,
  options: ApplyOptions,
): Promise<{ readonly steps: readonly string[]; readonly isWhole: boolean }> {
  const { log, clock, ids, passwords } = options;
  const hashes = await newPasswords(parsed.file, options, passwords.hash);
  const { newId: countId, count } = countingIds();
  if (validPlan(parsed, options, countId, hashes).steps.length === 0) return { steps: [], isWhole: true };
  const newId = await takeIds(ids, count);

  const taken: string[] = [];
  const { steps } = validPlan(parsed, options, newId, hashes);
  const planned = revisionsOf(options.directory);
  for (const step of steps) {
    const isOurs = await execute(log, step, { actor: null, at: clock().toISOString() }, planned);
    if (!isOurs) return { steps: taken, isWhole: false };
    taken.push(inWords(step));
    options.onProgress?.();
  }
  return { steps: taken, isWhole: true };
}

/** Taken in the same turn as the plan. */
function revisionsOf(directory: Directory): Planned {
  return new Map(
    directory
      .projects()
      .flatMap((project) => [
        [projectStream(project.id), project.revision] as const,
        ...directory.trackersOf(project.id).map(({ id, view }) => [trackerStream(id), view.revision] as const),
      ]),
  );
}

type NewId = PlanInput['newId'];

function validPlan(
  { file, located }: ParsedFile,
  { directory, env, prune, force = false }: PlanOptions,
  newId: NewId,
  hashes: ReadonlyMap<string, string> = new Map(),
): Plan {
  const made = plan({ file, present: directory, env, prune, force, newId, newPasswords: hashes });
  refuse(located(made.complaints));
  return made;
}

/** Ids that nothing has, for a plan that is not carried out; tells how many it took. */
function countingIds(): { readonly newId: NewId; readonly count: ReadonlyMap<IdKind, number> } {
  const count = new Map<IdKind, number>();
  const newId = (kind: IdKind): number => {
    const taken = (count.get(kind) ?? 0) + 1;
    count.set(kind, taken);
    return -taken;
  };
  return { newId, count };
}

async function takeIds(ids: ApplyOptions['ids'], count: ReadonlyMap<IdKind, number>): Promise<NewId> {
  const reserved = new Map<IdKind, number[]>();
  for (const kind of ID_KINDS) {
    const desired = Array.from({ length: count.get(kind) ?? 0 }, () => ids(kind).next());
    reserved.set(kind, await Promise.all(desired));
  }
  return (kind) => {
    const id = reserved.get(kind)?.shift();
    if (id === undefined) throw new Error(`the plan takes more ids of kind ${kind} than it said`);
    return id;
  };
}

/** The directory shows all that is in the log. */
async function settled({ log, readModels }: ApplyOptions): Promise<void> {
  const end = await log.end();
  if (end === null) return;
  const reached = await Promise.all(PLANNED_ON.map((name) => readModels.caughtUp(name, end, SETTLED_WITHIN_MS)));
  if (reached.includes(false)) throw new Problem('unavailable', 'The read models are behind', { retryAfter: 30 });
}
