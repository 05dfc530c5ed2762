/** The labels that users add to an open list: each gets a number that it keeps. */
import { randomUUID } from 'node:crypto';
import { MAX_LABELS } from '../core/bounds.js';
import { fold, type Decider } from '../core/decider.js';
import { type EventLog, type Position } from '../core/event-log.js';
import { foldedStream } from '../core/folded-streams.js';
import { handle, type CommandEnvelope } from '../core/handle.js';
import { invalidIn, type Problem } from '../core/problem.js';
import { openValuesStream, type OpenValueEvent } from '../trackers/tracker-events.js';

/** The last label that was added, and those before it: a list grows long, and copying it for each event would not do. */
interface AddedLabel {
  readonly label: string;
  readonly number: number;
  readonly before: AddedLabel | null;
}

export interface AddOpenValues {
  readonly fieldId: number;
  readonly trackerId: number;
  readonly labels: readonly string[];
  /** How many the definition of the list has. */
  readonly defined: number;
}

export const openValuesDecider: Decider<AddedLabel | null, AddOpenValues, OpenValueEvent> = {
  initialState: null,

  decide({ fieldId, trackerId, labels, defined }, last) {
    const known = numbersOf(last);
    const added = [...new Set(labels)].filter((label) => !known.has(label));
    if (added.length > 0 && defined + known.size + added.length > MAX_LABELS) throw tooManyLabels();
    return added.map((label, index) => ({
      type: 'OpenValueAdded',
      data: { fieldId, trackerId, number: known.size + index + 1, label },
    }));
  },

  evolve: (before, { data: { label, number } }) => ({ label, number, before }),
};

const tooManyLabels = (): Problem => invalidIn('/values', `A list holds at most ${MAX_LABELS} labels`);

function numbersOf(last: AddedLabel | null): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (let added = last; added !== null; added = added.before) numbers.set(added.label, added.number);
  return numbers;
}

/** What labels a write adds to a list, and the numbers that all labels of the list have with them. */
export interface PlannedLabels {
  readonly wanted: AddOpenValues;
  readonly numbers: ReadonlyMap<string, number>;
  /** Whether some of the labels are still to be added. */
  readonly areNew: boolean;
  /** Of the list's last label; null while it has none. */
  readonly position: Position | null;
}

/** By the present list: another command may add to it before the labels are claimed. */
export async function plannedLabels(log: EventLog, wanted: AddOpenValues): Promise<PlannedLabels> {
  const { current } = await foldedStream(log, openValuesDecider, openValuesStream(wanted.fieldId));
  const { state: last, end: position } = current;
  const added = openValuesDecider.decide(wanted, last);
  return {
    wanted,
    numbers: numbersOf(fold(openValuesDecider, added, last)),
    areNew: added.length > 0,
    position,
  };
}

/**
 * Adds the labels. Null when one of them has another number than planned. One that is then not used does no harm.
 * Each claim is a command of its own: no label is added twice, so the events of an earlier try need not be found.
 */
export async function claimLabels(
  log: EventLog,
  planned: PlannedLabels,
  metadata: CommandEnvelope<unknown, unknown>['metadata'],
): Promise<PlannedLabels | null> {
  const { wanted, numbers } = planned;
  const { state, end: position } = await handle(log, openValuesDecider, {
    stream: openValuesStream(wanted.fieldId),
    commandId: randomUUID(),
    isNew: true,
    metadata,
    command: () => wanted,
  });
  const given = numbersOf(state);
  const isAsPlanned = wanted.labels.every((label) => given.get(label) === numbers.get(label));
  return isAsPlanned ? { ...planned, areNew: false, position } : null;
}

/** Of several lists. Null when one of the labels has another number than planned. */
export async function claimNewLabels(
  log: EventLog,
  lists: readonly PlannedLabels[],
  metadata: CommandEnvelope<unknown, unknown>['metadata'],
): Promise<readonly PlannedLabels[] | null> {
  const claimed: PlannedLabels[] = [];
  for (const planned of lists) {
    const labels = planned.areNew ? await claimLabels(log, planned, metadata) : planned;
    if (labels === null) return null;
    claimed.push(labels);
  }
  return claimed;
}
