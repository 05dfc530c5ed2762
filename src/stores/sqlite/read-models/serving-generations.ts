import { type Position, type StreamName } from '../../../core/event-log.js';
import { NO_MARKS, type Mark, type Marks } from '../../../core/marks.js';
import { type Run } from '../../../core/projection.js';
import { type ReadModelFile } from './file.js';
import { servedMarks } from './marks.js';
import { sqliteCode } from '../connection.js';

export interface Served {
  /** Reads from the file which runs are served; answers with what each reflected when it was last written. */
  load(): readonly { readonly projection: string; readonly position: Position }[];
  /** `otherwise` if nothing is served that has the model. */
  read<T>(model: string, work: (run: Run) => T, otherwise: () => T): T;
  marks(model: string): Marks;
  /** Of a run that is served; others come with the load that finds their run. */
  mark(run: Run, marks: readonly Mark[]): void;
  isServing(projection: string): boolean;
  /** Whether readers saw another run so far. */
  switchTo(projection: string, run: Run): boolean;
  /** How often readers may have begun to see other runs, or other marks. */
  switches(): number;
}

const SERVED = `
  SELECT r.projection, r.run, r.position, m.model FROM runs r LEFT JOIN models m ON m.run = r.run
  WHERE r.state = 'served'`;

/** Which run readers see, kept in memory: a read by id costs one statement. */
export function servedRuns(file: ReadModelFile): Served {
  const byModel = new Map<string, Run>();
  const byProjection = new Map<string, Run>();
  const marked = knownMarks(file);
  let loaded = 0;
  const load: Served['load'] = () => {
    loaded += 1;
    marked.load();
    const rows = file.sql(SERVED).all();
    byProjection.clear();
    byModel.clear();
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
    return run === undefined ? otherwise() : work(run);
  };
  return {
    load,
    marks: (model) => marked.of(byModel.get(model)),
    mark: (run, marks) => {
      marked.add(run, marks);
      loaded += 1;
    },
    read: (model, work, otherwise) => {
      try {
        return read(model, work, otherwise);
      } catch (error) {
        if (!isRemoved(error)) throw error;
        load();
        return read(model, work, otherwise);
      }
    },
    isServing: (projection) => byProjection.has(projection),
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

function knownMarks(file: ReadModelFile) {
  let byRun = new Map<Run, Map<StreamName, Mark>>();
  return {
    load: () => {
      byRun = servedMarks(file);
    },
    of: (run: Run | undefined): Marks => (run === undefined ? NO_MARKS : (byRun.get(run) ?? NO_MARKS)),
    add: (run: Run, marks: readonly Mark[]) => {
      const known = byRun.get(run) ?? new Map<StreamName, Mark>();
      byRun.set(run, known);
      for (const mark of marks) known.set(mark.stream, mark);
    },
  };
}
