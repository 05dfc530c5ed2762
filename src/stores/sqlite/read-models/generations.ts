import { type Position } from '../../../core/event-log.js';
import { type Checkpoint, type Generation } from '../../../core/projection.js';
import { recordedEvent } from '../../shared/recorded-event.js';
import { type ReadModelFile } from './file.js';
import { removeMarks } from './marks.js';
import { setAside } from './removal.js';
import { tables } from './schema.js';

export interface Generations {
  serving(projection: string): Generation | null;
  checkpoint(projection: string, generation: Generation): Checkpoint | null;
  open(projection: string, models: readonly string[], version: number): Generation;
  serve(projection: string, generation: Generation): boolean;
  withdraw(projection: string): void;
  discard(projection: string, generation: Generation): void;
  removeUnfinished(): void;
}

/** The life of generations: filling, then served, then removed. */
export function generationsOf(file: ReadModelFile): Generations {
  const serving = (projection: string): Generation | null => {
    const row = file.sql("SELECT run FROM runs WHERE projection = ? AND state = 'served'").get(projection);
    return row === undefined ? null : Number(row['run']);
  };
  const checkpoint = (projection: string, generation: Generation): Checkpoint | null =>
    checkpointOf(file, projection, generation);
  return {
    serving,
    checkpoint,
    open: (projection, models, version) =>
      file.transaction('IMMEDIATE', () => {
        const insert = file.sql("INSERT INTO runs (projection, version, state) VALUES (?, ?, 'filling')");
        const generation = Number(insert.run(projection, version).lastInsertRowid);
        for (const model of models) {
          file.sql('INSERT INTO models (run, model) VALUES (?, ?)').run(generation, model);
          file.createTables(generation, model);
        }
        return generation;
      }),
    serve: (projection, generation) =>
      file.transaction('IMMEDIATE', () => {
        const served = serving(projection);
        if (served === generation) return true;
        const next = checkpoint(projection, generation);
        if (next === null || isBehind(next, served === null ? null : checkpoint(projection, served))) return false;
        if (served !== null) remove(file, served);
        file.sql("UPDATE runs SET state = 'served' WHERE run = ?").run(generation);
        return true;
      }),
    ...removals(file, serving),
  };
}

function removals(
  file: ReadModelFile,
  serving: Generations['serving'],
): Pick<Generations, 'withdraw' | 'discard' | 'removeUnfinished'> {
  return {
    withdraw: (projection) => {
      file.transaction('IMMEDIATE', () => {
        const served = serving(projection);
        if (served !== null) remove(file, served);
      });
    },
    discard: (projection, generation) => {
      file.transaction('IMMEDIATE', () => {
        if (serving(projection) === generation)
          throw new Error(`Generation ${generation} of ${projection} is being served`);
        remove(file, generation);
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

function checkpointOf(file: ReadModelFile, projection: string, generation: Generation): Checkpoint | null {
  const row = file
    .sql('SELECT version, position, event FROM runs WHERE projection = ? AND run = ?')
    .get(projection, generation);
  if (row === undefined) return null;
  const position = row['position'] as Position | null;
  return { version: Number(row['version']), position, event: recordedEvent(position, row['event']) };
}

function isBehind(next: Checkpoint, served: Checkpoint | null): boolean {
  const reached = served?.position ?? null;
  return reached !== null && (next.position === null || next.position < reached);
}

function remove(file: ReadModelFile, generation: Generation): void {
  const models = file.sql('SELECT model FROM models WHERE run = ?').all(generation);
  for (const { model } of models) setAside(file, tables(generation, String(model)));
  removeMarks(file, generation);
  file.sql('DELETE FROM models WHERE run = ?').run(generation);
  file.sql('DELETE FROM runs WHERE run = ?').run(generation);
}
