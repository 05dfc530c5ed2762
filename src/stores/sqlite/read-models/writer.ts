import { type ReadModelStore } from '../../../core/projection.js';
import { promised } from '../connection.js';
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

/** The writing side of the embedded read models. One at a time; what an earlier one left half filled is removed. */
export function sqliteReadModelStore(directory: string, changes?: Changes): ReadModelStore & { close(): void } {
  const file = openReadModelFile(directory, 'write', changes);
  const keys = keyNumbers(file);
  const generations = generationsOf(file);
  const inStretches = stretches(sharedTransactions(file, keys.forget));
  const unindexed = unindexedGenerations({ file, keys, inStretches });
  const sweep = sweeper(file, inStretches);
  generations.removeUnfinished();
  sweep();
  return {
    serving: (projection) => promised(() => generations.serving(projection)),
    checkpoint: (projection, generation) => promised(() => generations.checkpoint(projection, generation)),
    open: (projection, models, version) =>
      promised(() => unindexed.added(generations.open(projection, models, version))),
    ...documentsIn({ file, keys, generations, inStretches, unindexed }),
    marks: (_projection, generation) => promised(() => marksIn(file, generation)),
    documents: (generation, model) => documentSlices(file, generation, model),
    verify: async (_projection, generation, models, onRows = () => undefined) => {
      await unindexed.index(generation, onRows);
      const findings: string[] = [];
      for (const model of models) findings.push(...(await verifyModel({ file, onRows }, generation, model)));
      return findings;
    },
    serve: async (projection, generation) => {
      await unindexed.index(generation);
      const isServed = generations.serve(projection, generation);
      sweep();
      return isServed;
    },
    withdraw: (projection) =>
      promised(() => {
        generations.withdraw(projection);
        sweep();
      }),
    discard: (projection, generation) =>
      promised(() => {
        generations.discard(projection, generation);
        unindexed.remove(generation);
        sweep();
      }),
    close: () => {
      file.close();
    },
  };
}

interface Writing {
  readonly file: ReadModelFile;
  readonly keys: KeyNumbers;
  readonly generations: Pick<Generations, 'serving'>;
  readonly inStretches: Stretches;
  readonly unindexed: Unindexed;
}

function documentsIn(writing: Writing): Pick<ReadModelStore, 'load' | 'commit'> {
  const { file, keys, generations, inStretches, unindexed } = writing;
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
    commit: async (projection, generation, changes, checkpoint, marks = []) => {
      const isUnindexed = unindexed.has(generation);
      for (const { model } of changes) unindexed.written(generation, model);
      const writer = { file, keys, isUnindexed };
      const steps = commitSteps(writer, projection, generation, changes, { ...checkpoint, marks });
      const readers = generations.serving(projection) === generation ? 'served' : 'unserved';
      // What finds a document is not written without it.
      await inStretches(steps, readers, !isUnindexed);
    },
  };
}
