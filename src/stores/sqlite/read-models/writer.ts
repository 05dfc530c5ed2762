import { type ReadModelStore } from '../../../core/projection.js';
import { promised } from '../connection.js';
import { besideServed, checked, freeBytes, type Beside, type Room } from './room/beside-served.js';
import { type Changes } from './changes.js';
import { commitSteps, readStored } from './commit.js';
import { documentSlices } from './document-slices.js';
import { openReadModelFile, type ReadModelFile } from './file.js';
import { tables } from './schema.js';
import { generationsOf, type Generations } from './generations.js';
import { keyNumbers, type KeyNumbers } from './index/key-numbers.js';
import { marksIn } from './marks.js';
import { sweeper } from './removal.js';
import { sharedTransactions, stretches, type Stretches } from './shared-transactions.js';
import { unindexedGenerations, type Unindexed } from './index/unindexed.js';
import { verifyModel } from './verify.js';

interface Opening extends Omit<Room, 'free'> {
  readonly changes?: Changes;
}

/** The writing side of the embedded read models. One at a time; what an earlier one left half filled is removed. */
export function sqliteReadModelStore(directory: string, { changes, ...room }: Opening = {}) {
  return readModelStore(openReadModelFile(directory, 'write', changes), { ...room, free: () => freeBytes(directory) });
}

export function readModelStore(file: ReadModelFile, room: Room): ReadModelStore & { close(): void } {
  const keys = keyNumbers(file);
  const generations = generationsOf(file);
  const inStretches = stretches(sharedTransactions(file, keys.forget));
  const unindexed = unindexedGenerations({ file, keys, inStretches });
  const beside = besideServed(file, generations, room);
  const sweep = sweeper(file, inStretches);
  const writing = { file, keys, generations, inStretches, unindexed, beside };
  generations.removeUnfinished();
  sweep();
  return {
    serving: (projection) => promised(() => generations.serving(projection)),
    checkpoint: (projection, generation) => promised(() => generations.checkpoint(projection, generation)),
    ...documentsIn(writing),
    ...generationsIn(writing, sweep),
    marks: (_projection, generation) => promised(() => marksIn(file, generation)),
    documents: (generation, model) => documentSlices(file, generation, model),
    verify: (projection, generation, models, onRows = () => undefined) =>
      beside(projection, generation, async (check) => {
        const indexed = (rows: number): void => {
          check();
          onRows(rows);
        };
        await unindexed.index(generation, indexed);
        const findings: string[] = [];
        for (const model of models) findings.push(...(await verifyModel({ file, onRows }, generation, model)));
        return findings;
      }),
    close: () => {
      file.close();
    },
  };
}

interface Writing {
  readonly file: ReadModelFile;
  readonly keys: KeyNumbers;
  readonly generations: Generations;
  readonly inStretches: Stretches;
  readonly unindexed: Unindexed;
  readonly beside: Beside;
}

function documentsIn(writing: Writing): Pick<ReadModelStore, 'load' | 'commit'> {
  const { file, keys, generations, inStretches, unindexed, beside } = writing;
  return {
    load: (generation, model, ids) =>
      promised(() => {
        const names = tables(generation, model.name);
        return new Map(
          ids.flatMap((id) => {
            const found = readStored(file, names, id);
            return found === null ? [] : [[id, found] as const];
          }),
        );
      }),
    commit: (projection, generation, changes, checkpoint, marks = []) =>
      beside(projection, generation, async (check) => {
        const isUnindexed = unindexed.has(generation);
        for (const { model } of changes) unindexed.written(generation, model);
        const writer = { file, keys, isUnindexed };
        const steps = commitSteps(writer, projection, generation, changes, { ...checkpoint, marks });
        const readers = generations.serving(projection) === generation ? 'served' : 'unserved';
        // What finds a document is not written without it.
        await inStretches(checked(steps, check), readers, !isUnindexed);
      }),
  };
}

function generationsIn(
  { file, generations, unindexed, beside }: Writing,
  sweep: () => void,
): Pick<ReadModelStore, 'open' | 'serve' | 'withdraw' | 'discard'> {
  return {
    open: (projection, models, version) =>
      beside(projection, null, () => promised(() => unindexed.added(generations.open(projection, models, version)))),
    serve: (projection, generation) =>
      beside(projection, generation, async () => {
        await unindexed.index(generation);
        const isServed = generations.serve(projection, generation);
        sweep();
        return isServed;
      }),
    withdraw: (projection) =>
      promised(() => {
        generations.withdraw(projection);
        sweep();
      }),
    discard: (projection, generation) =>
      promised(() => {
        generations.discard(projection, generation);
        unindexed.remove(generation);
        file.emptyLog();
        sweep();
      }),
  };
}
