import { type Position } from '../../../core/event-log.js';
import { type Checkpoint, type Run } from '../../../core/projection.js';
import { recordedEvent } from '../../shared/recorded-event.js';
import { type ReadModelFile } from './file.js';
import { removeMarks } from './marks.js';

type State = 'filling' | 'served' | 'previous';

interface Runs {
  serving(projection: string): Run | null;
  previous(projection: string): Run | null;
  checkpoint(projection: string, run: Run): Checkpoint | null;
  open(projection: string, models: readonly string[], version: number): Run;
  serve(projection: string, run: Run): boolean;
  withdraw(projection: string): void;
  discard(projection: string, run: Run): void;
  removeUnfinished(): void;
}

/** The life of runs: filling, then served, then kept for a rollback, then removed. */
export function runsOf(file: ReadModelFile): Runs {
  const inState = (projection: string, state: State): Run | null => {
    const row = file.sql('SELECT run FROM runs WHERE projection = ? AND state = ?').get(projection, state);
    return row === undefined ? null : Number(row['run']);
  };
  const checkpoint = (projection: string, run: Run): Checkpoint | null => checkpointOf(file, projection, run);
  return {
    serving: (projection) => inState(projection, 'served'),
    previous: (projection) => inState(projection, 'previous'),
    checkpoint,
    open: (projection, models, version) =>
      file.transaction('IMMEDIATE', () => {
        const insert = file.sql("INSERT INTO runs (projection, version, state) VALUES (?, ?, 'filling')");
        const run = Number(insert.run(projection, version).lastInsertRowid);
        for (const model of models) {
          file.sql('INSERT INTO models (run, model) VALUES (?, ?)').run(run, model);
          file.createTables(run, model);
        }
        return run;
      }),
    serve: (projection, run) =>
      file.transaction('IMMEDIATE', () => {
        const served = inState(projection, 'served');
        if (served === run) return true;
        const next = checkpoint(projection, run);
        if (next === null || isBehind(next, served === null ? null : checkpoint(projection, served))) return false;
        const previous = inState(projection, 'previous');
        if (previous !== null && previous !== run) remove(file, previous);
        if (served !== null) setState(file, served, 'previous');
        setState(file, run, 'served');
        return true;
      }),
    ...removals(file, inState),
  };
}

function removals(
  file: ReadModelFile,
  inState: (projection: string, state: State) => Run | null,
): Pick<Runs, 'withdraw' | 'discard' | 'removeUnfinished'> {
  return {
    withdraw: (projection) => {
      file.transaction('IMMEDIATE', () => {
        const served = inState(projection, 'served');
        if (served !== null) remove(file, served);
      });
    },
    discard: (projection, run) => {
      file.transaction('IMMEDIATE', () => {
        if (inState(projection, 'served') === run) throw new Error(`Run ${run} of ${projection} is being served`);
        remove(file, run);
      });
    },
    removeUnfinished: () => {
      file.transaction('IMMEDIATE', () => {
        const unfinished = file.sql("SELECT run FROM runs WHERE state = 'filling'").all();
        for (const { run } of unfinished) remove(file, Number(run));
      });
    },
  };
}

function checkpointOf(file: ReadModelFile, projection: string, run: Run): Checkpoint | null {
  const row = file
    .sql('SELECT version, position, event FROM runs WHERE projection = ? AND run = ?')
    .get(projection, run);
  if (row === undefined) return null;
  const position = row['position'] as Position | null;
  return { version: Number(row['version']), position, event: recordedEvent(position, row['event']) };
}

function setState(file: ReadModelFile, run: Run, state: State): void {
  file.sql('UPDATE runs SET state = ? WHERE run = ?').run(state, run);
}

function isBehind(next: Checkpoint, served: Checkpoint | null): boolean {
  const reached = served?.position ?? null;
  return reached !== null && (next.position === null || next.position < reached);
}

function remove(file: ReadModelFile, run: Run): void {
  const models = file.sql('SELECT model FROM models WHERE run = ?').all(run);
  for (const { model } of models) file.dropTables(run, String(model));
  removeMarks(file, run);
  file.sql('DELETE FROM models WHERE run = ?').run(run);
  file.sql('DELETE FROM runs WHERE run = ?').run(run);
}
