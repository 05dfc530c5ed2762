/** The labels that users add to an open list: each gets a number that it keeps. */
import { MAX_LABELS } from '../core/bounds.js';
import { type Decider } from '../core/decider.js';
import { type EventLog, type Position } from '../core/event-log.js';
import { handle, type CommandEnvelope } from '../core/handle.js';
import { Problem } from '../core/problem.js';
import { openValuesStream, type OpenValueEvent } from '../trackers/tracker-events.js';

/** The last label that was added, and those before it: a list grows long, and copying it for each event would not do. */
interface AddedLabel {
  readonly label: string;
  readonly number: number;
  readonly before: AddedLabel | null;
}

interface AddOpenValues {
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

function tooManyLabels(): Problem {
  const message = `A list takes ${MAX_LABELS} labels at most`;
  return new Problem('invalid', message, { details: [{ pointer: '/values', message }] });
}

function numbersOf(last: AddedLabel | null): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (let added = last; added !== null; added = added.before) numbers.set(added.label, added.number);
  return numbers;
}

interface NumberedLabels {
  readonly numbers: ReadonlyMap<string, number>;
  /** Null when all of them were there before. */
  readonly position: Position | null;
}

/** The numbers of a list's labels, the new ones added to it. One that is then not used does no harm. */
export async function numberedLabels(
  log: EventLog,
  wanted: AddOpenValues,
  envelope: Pick<CommandEnvelope<unknown, unknown>, 'commandId' | 'metadata'>,
): Promise<NumberedLabels> {
  const { state, position } = await handle(log, openValuesDecider, {
    ...envelope,
    stream: openValuesStream(wanted.fieldId),
    command: () => wanted,
  });
  return { numbers: numbersOf(state), position };
}
