import { type Position, type StreamName } from '../../../core/event-log.js';
import { NO_MARKS, type Mark, type Marks } from '../../../core/marks.js';
import { type Generation } from '../../../core/projection.js';
import { type SqlRow } from '../connection.js';
import { type ReadModelFile } from './file.js';
import { servedMarks } from './marks.js';

/** A read model of a generation that is served. */
export interface ServedModel {
  readonly projection: string;
  readonly generation: Generation;
  readonly model: string;
  /** What the generation reflected when it was last written. */
  readonly position: Position | null;
}

export interface Served {
  /** Reads from the file which generations are served. */
  load(): readonly ServedModel[];
  /** `otherwise` if nothing is served that has the model. */
  read<T>(model: string, work: (generation: Generation) => T, otherwise: () => T): T;
  marks(model: string): Marks;
  /** Of a generation that is served; others come with the load that finds their generation. */
  mark(generation: Generation, marks: readonly Mark[]): void;
  isServing(projection: string): boolean;
  /** Whether readers saw another generation so far. */
  switchTo(projection: string, generation: Generation): boolean;
  /** How often readers may have begun to see other generations, or other marks. */
  switches(): number;
}

const SERVED = `
  SELECT r.projection, r.run, r.position, m.model FROM runs r LEFT JOIN models m ON m.run = r.run
  WHERE r.state = 'served'`;

/** Which generation readers see, kept in memory: a read by id costs one statement. */
export function servedGenerations(file: ReadModelFile): Served {
  const byModel = new Map<string, Generation>();
  const byProjection = new Map<string, Generation>();
  const marked = knownMarks(file);
  let loaded = 0;
  let known = '';
  const load: Served['load'] = () => {
    const models = file.sql(SERVED).all().map(servedModel);
    const now = [...models.map(({ generation, model }) => `${generation} ${model}`), marked.load()].join('\n');
    if (now !== known) loaded += 1;
    known = now;
    byProjection.clear();
    byModel.clear();
    for (const { projection, generation, model } of models) {
      byProjection.set(projection, generation);
      byModel.set(model, generation);
    }
    return models;
  };
  const read: Served['read'] = (model, work, otherwise) => {
    if (!byModel.has(model)) load();
    const generation = byModel.get(model);
    return generation === undefined ? otherwise() : work(generation);
  };
  return {
    load,
    marks: (model) => marked.of(byModel.get(model)),
    mark: (generation, marks) => {
      marked.add(generation, marks);
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
    switchTo: (projection, generation) => {
      if (byProjection.get(projection) === generation) return false;
      load();
      return true;
    },
    switches: () => loaded,
  };
}

function servedModel({ projection, run, model, position }: SqlRow): ServedModel {
  return {
    projection: String(projection),
    generation: Number(run),
    model: String(model),
    position: position as Position | null,
  };
}

/** The generation was replaced before word of it came here. Not each error of a known statement has a code. */
function isRemoved(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no such table');
}

function knownMarks(file: ReadModelFile) {
  let byGeneration = new Map<Generation, Map<StreamName, Mark>>();
  return {
    /** How many there are. A generation loses none. */
    load: () => {
      byGeneration = servedMarks(file);
      return [...byGeneration].map(([generation, marks]) => `${generation} ${marks.size}`).join();
    },
    of: (generation: Generation | undefined): Marks =>
      generation === undefined ? NO_MARKS : (byGeneration.get(generation) ?? NO_MARKS),
    add: (generation: Generation, marks: readonly Mark[]) => {
      const known = byGeneration.get(generation) ?? new Map<StreamName, Mark>();
      byGeneration.set(generation, known);
      for (const mark of marks) known.set(mark.stream, mark);
    },
  };
}
