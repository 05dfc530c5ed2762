/** What a reader asks of a world, and what all that they ask has in common. */
import { type Ids } from './ids.js';
import { type Filled } from './twin-artifacts.js';
import { type FieldPlan, type Reader, type Sight, type World } from './world.js';

export interface Question {
  readonly method: string;
  /** Below /api, unless it is a bare route's. */
  readonly path: string;
  readonly body?: unknown;
  /** The status that tells no more than that an id in the path is out of reach; without it the twins answer alike. */
  readonly outOfReach?: 403;
}

export interface Asking {
  readonly world: World;
  readonly ids: Ids;
  readonly sight: Sight;
  readonly filled: Filled;
  readonly reader: Reader;
}

export const get = (path: string): Question => ({ method: 'GET', path });
export const out = (isOut: boolean): Pick<Question, 'outOfReach'> => (isOut ? { outOfReach: 403 } : {});

export const UNKNOWN = 999_999;

/** Lists whose values are asked for, and written, by number. */
export const isStatic = (name: string): name is 'state' | 'kind' | 'marks' => ['state', 'kind', 'marks'].includes(name);

/** Every other field that the reader may not read, for the sake of time, and two that they may. */
export function telling(index: number, { world, sight }: Pick<Asking, 'world' | 'sight'>): readonly FieldPlan[] {
  const { fields } = world.trackers[index]!;
  const isHidden = ({ name }: FieldPlan): boolean => !sight.tracker(index) || !sight.field(index, name);
  const readable = fields.filter((field) => !isHidden(field));
  const some = Math.floor(readable.length / 2);
  return [...fields.filter(isHidden).filter((_, turn) => turn % 2 === index % 2), ...readable.slice(some, some + 2)];
}
