import { all } from '../../projections/all.js';
import { type Mark } from '../core/marks.js';
import { type ReadModels } from '../core/read-models.js';

export interface MarkedStream extends Mark {
  readonly projection: string;
}

/** A list for operators names so many of each projection. */
const MOST_NAMED = 100;

/** Streams that what is served does not follow any longer. All read models of a projection have the same. */
export function markedStreams({ marks }: Pick<ReadModels, 'marks'>): readonly MarkedStream[] {
  return all.flatMap(({ name, models: [model = name] }) =>
    [...marks(model).values()].slice(0, MOST_NAMED).map((mark) => ({ projection: name, ...mark })),
  );
}
