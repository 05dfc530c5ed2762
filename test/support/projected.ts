import { type Event, type Recorded, type StreamName } from '../../src/core/event-log.js';
import { type Effect, type Lookup, type Projection } from '../../src/core/projection.js';
import { type Document, type ReadModel } from '../../src/core/read-models.js';
import { at } from '../stores/contracts/read-models-fixture.js';

/** Documents by read model, as a projection makes them of events. */
export interface Projected {
  /** From the first revision of the stream on, at noon of the given day. */
  happened(stream: StreamName, events: readonly Event[], day?: string): Projected;
  document<D extends Document>(model: ReadModel<D>, id: D['id']): D | null;
}

export function projected<E extends Event>({ when }: Projection<E>): Projected {
  const documents = new Map<string, Document>();
  const revisions = new Map<StreamName, number>();
  const key = (model: string, id: Document['id']): string => `${model} ${id}`;
  const document = <D extends Document>(model: ReadModel<D>, id: D['id']): D | null =>
    (documents.get(key(model.name, id)) ?? null) as D | null;
  let events = 0;

  const happenedOnce = (stream: StreamName, event: Event, day: string): void => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    events += 1;
    const metadata = { actor: null, at: `${day}T12:00:00.000Z`, schema: 1, commandId: `c-${events}` };
    const recorded: Recorded = { ...event, id: `e-${events}`, stream, revision, position: at(events), metadata };
    const effectsOf = when[event.type as E['type']] as ((recorded: Recorded) => readonly Effect[]) | undefined;
    const effects = effectsOf?.(recorded) ?? [];
    const named = new Set(effects.map(({ into, id }) => key(into.name, id)));
    const lookup: Lookup = (model, id) => {
      if (named.has(key(model.name, id))) return document(model, id);
      throw new Error(`${event.type} looks up a document that it does not name`);
    };
    for (const effect of effects) {
      const { into, id } = effect;
      const evolved = effect.evolve(document(into, id), lookup);
      if (evolved === null) documents.delete(key(into.name, id));
      else documents.set(key(into.name, id), evolved);
    }
  };

  const result: Projected = {
    happened: (stream, happenings, day = '2026-03-01') => {
      for (const event of happenings) happenedOnce(stream, event, day);
      return result;
    },
    document,
  };
  return result;
}
