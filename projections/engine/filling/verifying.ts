/**
 * Holds a filled generation against the log, which decides, and against the generation that is served, which may be the
 * wrong one.
 */
import { type EventReader } from '../../../src/core/event-log.js';
import { type Kept, type ReadModelStore } from '../../../src/core/projection.js';
import { type Account, NOTHING, plus, totalOf, type Total } from './account.js';
import { type AnyProjection, type GenerationProgress } from '../generation-progress.js';
import { comparison, MOST_DIFFERENCES } from './comparison.js';
import { type Sample } from './sample.js';

export interface Filled {
  readonly projection: AnyProjection;
  readonly progress: GenerationProgress;
  readonly account: Account;
  readonly sample: Sample;
  /** Of the same version; null where there is none. */
  readonly served: GenerationProgress | null;
}

export interface Verdict {
  /** In what the generation disagrees with the log or with itself, in words. It must not be served then. */
  readonly faults: readonly string[];
  /** In what it differs from the generation that is served, in words. */
  readonly differences: readonly string[];
}

export interface Verifying {
  readonly log: Pick<EventReader, 'places'>;
  readonly store: ReadModelStore;
  /** Told how many streams, rows and documents were looked at so far. */
  readonly onProgress: (verified: number) => void;
}

/** In slices, with no more than one of them in memory: live updates and requests of the same thread go on. */
export async function verified(around: Verifying, filled: Filled): Promise<Verdict> {
  const { log, store, onProgress } = around;
  const { projection, progress, sample } = filled;
  const { name, models } = projection;
  const differences: string[] = [];
  let seen = 0;
  const count = (more: number): void => {
    seen += more;
    onProgress(seen);
  };
  const faults = [
    ...(await sample.check(log, progress.position, count)),
    ...(await store.verify(name, progress.generation, models, count)),
  ];
  for (const model of models) {
    const verdict = await verifiedModel(store, filled, model, count);
    faults.push(...verdict.faults);
    differences.push(...verdict.differences);
  }
  return { faults, differences };
}

async function verifiedModel(
  store: ReadModelStore,
  { progress, account, served }: Filled,
  model: string,
  count: (more: number) => void,
): Promise<Verdict> {
  const compared = served === null ? null : comparison({ store, model, filled: progress, served });
  try {
    const total = await totalIn(store.documents(progress.generation, model), async (slice) => {
      await compared?.take(slice);
      count(slice.length);
    });
    return {
      faults: faultsIn(model, total, account.of(model)),
      differences: compared === null || served === null ? [] : differencesIn(model, served, await compared.end()),
    };
  } finally {
    await compared?.close();
  }
}

async function totalIn(
  slices: AsyncIterable<readonly Kept[]>,
  take: (slice: readonly Kept[]) => Promise<void>,
): Promise<Total> {
  let total = NOTHING;
  for await (const slice of slices) {
    for (const { id, body } of slice) total = plus(total, totalOf(id, body));
    await take(slice);
  }
  return total;
}

function faultsIn(model: string, there: Total, made: Total): readonly string[] {
  if (there.documents !== made.documents)
    return [`${model}: ${there.documents} documents, but the log makes ${made.documents}`];
  return there.digest === made.digest ? [] : [`${model}: documents that are not what the log makes of them`];
}

function differencesIn(
  model: string,
  { generation }: GenerationProgress,
  ids: readonly (number | string)[],
): readonly string[] {
  if (ids.length === 0) return [];
  const more = ids.length < MOST_DIFFERENCES ? '' : ' and perhaps more';
  return [`${model} differs from generation ${generation}, which was served before, in ${ids.join(', ')}${more}`];
}
