/** The labels that users add to an open list: each gets a number that it keeps. */
import { type Decider } from '../core/decider.js';
import { type EventLog, type Position } from '../core/event-log.js';
import { handle, type CommandEnvelope } from '../core/handle.js';
import { openValuesStream, type OpenValueEvent } from '../trackers/tracker.js';

/** By label. */
type OpenLabels = ReadonlyMap<string, number>;

interface AddOpenValue {
  readonly fieldId: number;
  readonly trackerId: number;
  readonly label: string;
}

export const openValuesDecider: Decider<OpenLabels, AddOpenValue, OpenValueEvent> = {
  initialState: new Map(),

  decide: ({ fieldId, trackerId, label }, labels) =>
    labels.has(label) ? [] : [{ type: 'OpenValueAdded', data: { fieldId, trackerId, number: labels.size + 1, label } }],

  evolve: (labels, { data }) => new Map([...labels, [data.label, data.number]]),
};

interface NumberedLabel {
  readonly number: number;
  /** Null when the label was there before. */
  readonly position: Position | null;
}

/** The number of a label, added to the field's list when it is new there. One that is then not used does no harm. */
export async function openValue(
  log: EventLog,
  wanted: AddOpenValue,
  { commandId, metadata }: Pick<CommandEnvelope<unknown, unknown>, 'commandId' | 'metadata'>,
): Promise<NumberedLabel> {
  const { state, position } = await handle(log, openValuesDecider, {
    stream: openValuesStream(wanted.fieldId),
    commandId: `${commandId}.${wanted.label}`,
    metadata,
    command: () => wanted,
  });
  const number = state.get(wanted.label);
  if (number === undefined)
    throw new Error(`The label was added to ${openValuesStream(wanted.fieldId)} and is not there`);
  return { number, position };
}
