import { type Position } from '../core/event-log.js';
import { type Run } from '../core/projection.js';
import { type ReadModelFile } from './sqlite-read-file.js';
import { sqliteCode } from './sqlite.js';

export interface Served {
  /** Reads from the file which runs are served; answers with what each reflected when it was last written. */
  load(): readonly { readonly projection: string; readonly position: Position }[];
  /** `otherwise` while nothing is served yet that has the model. */
  read<T>(model: string, work: (run: Run) => T, otherwise: T): T;
  /** Whether readers saw another run so far. */
  switchTo(projection: string, run: Run): boolean;
  /** How often readers may have begun to see other runs. */
  switches(): number;
}

/** Which run readers see, kept in memory: a read by id costs one statement. */
export function servedRuns(file: ReadModelFile): Served {
  const byModel = new Map<string, Run>();
  const byProjection = new Map<string, Run>();
  let loaded = 0;
  const load: Served['load'] = () => {
    loaded += 1;
    const rows = file
      .sql(
        `SELECT r.projection, r.run, r.position, m.model FROM runs r LEFT JOIN models m ON m.run = r.run
         WHERE r.state = 'served'`,
      )
      .all();
    for (const { projection, run, model } of rows) {
      byProjection.set(String(projection), Number(run));
      byModel.set(String(model), Number(run));
    }
    return rows.flatMap(({ projection, position }) =>
      position === null ? [] : [{ projection: String(projection), position: position as Position }],
    );
  };
  const read: Served['read'] = (model, work, otherwise) => {
    if (!byModel.has(model)) load();
    const run = byModel.get(model);
    return run === undefined ? otherwise : work(run);
  };
  return {
    load,
    read: (model, work, otherwise) => {
      try {
        return read(model, work, otherwise);
      } catch (error) {
        if (!isRemoved(error)) throw error;
        load();
        return read(model, work, otherwise);
      }
    },
    switchTo: (projection, run) => {
      if (byProjection.get(projection) === run) return false;
      load();
      return true;
    },
    switches: () => loaded,
  };
}

/** The run was replaced twice before word of it came here. */
function isRemoved(error: unknown): boolean {
  return sqliteCode(error) === 1 && error instanceof Error && error.message.includes('no such table');
}
