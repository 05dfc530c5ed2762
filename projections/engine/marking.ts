/** Streams that a projection no longer follows, so that it can continue with all others. */
import { type Recorded, type StreamName, type UnsupportedEvent } from '../../src/core/event-log.js';
import { type EventRegistry } from '../../src/core/event-types.js';
import { type Mark, type Marks } from '../../src/core/marks.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';

/** Of events that are not understood, in streams that are not marked yet. */
export function newMarks(
  { marks }: Pick<GenerationProgress, 'marks'>,
  unsupported: readonly UnsupportedEvent[] = [],
): readonly Mark[] {
  const found = new Map<string, Mark>();
  for (const event of unsupported) {
    const { stream, type, schema, revision, position } = event;
    if (marks.has(stream) || found.has(stream)) continue;
    found.set(stream, { stream, type, schema, revision, position, reason: `it ${event.reason}` });
  }
  return [...found.values()];
}

/** Whether the projection makes something of events in such a stream. */
export function makesUseOf({ when }: AnyProjection, stream: StreamName, eventTypes: EventRegistry): boolean {
  return eventTypes.typesIn(stream).some((type) => Object.hasOwn(when, type));
}

/** A mark for an event that is understood, but not applied. `reason` is for operators. */
export function markedBy({ stream, type, revision, position }: Recorded, reason: string): Mark {
  return { stream, type, schema: null, revision, position, reason };
}

/** Of the progress of one generation. Each batch adds to them: to copy them all would take long once they are many. */
class GrowingMarks extends Map<StreamName, Mark> {}

/** Who holds the marks may see the new ones, too. */
export function withMarks(marks: Marks, marked: readonly Mark[]): Marks {
  if (marked.length === 0) return marks;
  const growing = marks instanceof GrowingMarks ? marks : new GrowingMarks(marks);
  for (const mark of marked) growing.set(mark.stream, mark);
  return growing;
}

/** Whether a generation with these marks reflects the event. */
export function isReflected({ stream, position }: Pick<Recorded, 'stream' | 'position'>, marks: Marks): boolean {
  const mark = marks.get(stream);
  return mark === undefined || position < mark.position;
}

/** Whether this release understands an event that an earlier one marked a stream for. */
export function isOutdated(marks: Iterable<Mark>, eventTypes: EventRegistry): boolean {
  for (const { stream, type, schema } of marks) {
    if (schema !== null && eventTypes.understands({ stream, type, schema })) return true;
  }
  return false;
}
