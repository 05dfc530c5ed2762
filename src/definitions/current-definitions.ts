/** Which definitions may be used: those whose streams are not marked. */
import { type StreamName } from '../core/event-log.js';
import { markedProblem, refuseMarked } from '../core/marks.js';
import { type Document, type ReadModel, type ReadModels } from '../core/read-models.js';

interface Defined {
  readonly id: number;
}

export interface CurrentDefinitions<T extends Defined> {
  /** Throws if its stream is marked. */
  readonly one: (id: number) => T | undefined;
  /** What was found by a name: throws if its stream is marked, or if another might bear the name. */
  readonly named: (found: T | undefined) => T | undefined;
  /** Throws if there might be more of them than are known. */
  readonly whole: <L extends Iterable<T>>(list: L) => L;
  /** The same, and throws if the stream of one of them is marked. */
  readonly all: <L extends Iterable<T>>(list: L) => L;
}

export function currentDefinitions<T extends Defined>(
  { marks }: Pick<ReadModels, 'marks'>,
  { name, category = '' }: Pick<ReadModel<Document>, 'name' | 'category'>,
  get: (id: number) => T | undefined,
): CurrentDefinitions<T> {
  const streamOf = (id: number): StreamName => `${category}-${id}`;
  const one = (id: number): T | undefined => {
    refuseMarked(marks(name), streamOf(id));
    return get(id);
  };
  const whole = <L extends Iterable<T>>(list: L): L => {
    for (const mark of marks(name).values()) {
      const isOurs = mark.stream.startsWith(`${category}-`);
      if (isOurs && get(Number(mark.stream.slice(category.length + 1))) === undefined) throw markedProblem(mark);
    }
    return list;
  };
  return {
    one,
    whole,
    named: (found) => (found === undefined ? whole([])[0] : one(found.id)),
    all: (list) => {
      if (marks(name).size === 0) return list;
      for (const { id } of list) one(id);
      return whole(list);
    },
  };
}
