import { type Event } from './event-log.js';

/** The rules of one kind of stream: pure, synchronous, without clock, ids or input/output. */
export interface Decider<State, Command, E extends Event> {
  readonly initialState: State;
  /** No events: the command has nothing left to do. Throws a Problem when it breaks a rule. */
  decide(command: Command, state: State): readonly E[];
  /** Never refuses: what happened, happened. */
  evolve(state: State, event: E): State;
  /** Whether the event moves the instant of the last modification. Left out: every event does. */
  isModification?(event: E): boolean;
  /** Whether the event alone says what it and all before it come to. Left out: no event does. */
  saysAll?(event: E): boolean;
}

export function fold<State, Command, E extends Event>(
  decider: Decider<State, Command, E>,
  events: readonly E[],
  from: State = decider.initialState,
): State {
  return events.reduce<State>((state, event) => decider.evolve(state, event), from);
}
