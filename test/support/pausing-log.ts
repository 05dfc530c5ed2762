/** A second log object over one store: its commands queue on their own, as those of another process do. */
import { type EventLog, type NewEvent, type StreamName } from '../../src/core/event-log.js';

export interface PausingLog extends EventLog {
  /** Resolves once an append that matches waits. The function that it resolves to lets the append go on. */
  pauseAt(matches: (stream: StreamName, events: readonly NewEvent[]) => boolean): Promise<() => void>;
}

interface Pause {
  readonly matches: (stream: StreamName, events: readonly NewEvent[]) => boolean;
  readonly reached: (goOn: () => void) => void;
}

export function pausingLog(log: EventLog): PausingLog {
  const pauses: Pause[] = [];
  return {
    read: (stream, part) => log.read(stream, part),
    places: (...given) => log.places(...given),
    readAll: (...given) => log.readAll(...given),
    subscribe: (...given) => log.subscribe(...given),
    end: () => log.end(),
    eventAt: (position) => log.eventAt(position),
    fractionAt: (position, end) => log.fractionAt(position, end),
    append: async (stream, expected, events, metadata) => {
      const index = pauses.findIndex(({ matches }) => matches(stream, events));
      const [pause] = index < 0 ? [] : pauses.splice(index, 1);
      if (pause !== undefined)
        await new Promise<void>((goOn) => {
          pause.reached(goOn);
        });
      return log.append(stream, expected, events, metadata);
    },
    pauseAt: (matches) =>
      new Promise((reached) => {
        pauses.push({ matches, reached });
      }),
  };
}
