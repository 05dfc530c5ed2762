/** A thread that reads what would keep the thread that serves requests for long, over a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Generation } from '../../../../core/projection.js';
import { totalCache } from '../../../shared/total-cache.js';
import { openReadModelFile } from '../file.js';
import { bodyOf, stateOf } from '../stored-documents.js';
import { condition } from '../query/criteria-to-sql.js';
import { keyLookup } from '../index/key-numbers.js';
import { readPage } from '../query/page.js';
import { sizeEstimates } from '../query/sizes.js';
import { tables } from '../schema.js';
import { servedGenerations } from '../serving-generations.js';
import { type LongAnswer, type LongQuery } from './messages.js';
import { messageOf } from '../../../../core/concurrency/retry.js';

const { directory } = workerData as { readonly directory: string };
const file = openReadModelFile(directory, 'read');
const served = servedGenerations(file);
const numberOf = keyLookup(file);
const sizeOf = sizeEstimates(file);
const totals = totalCache();

parentPort?.on('message', (query: LongQuery | null) => {
  if (query !== null) parentPort?.postMessage(answerTo(query));
  else {
    file.close();
    parentPort?.close();
  }
});

function answerTo(query: LongQuery): LongAnswer {
  try {
    return served.read(
      query.model,
      (generation) => file.transaction('DEFERRED', () => pageOf(generation, query)),
      () => ({ type: 'not-served' }),
    );
  } catch (error) {
    return { type: 'failed', message: messageOf(error) };
  }
}

function pageOf(generation: Generation, { model, query, given }: LongQuery): LongAnswer {
  if (given !== undefined) {
    const body = bodyOf(file, generation, given.model, given.id);
    if (body !== given.body) return { type: 'given', given: { ...given, body } };
  }
  const source = { file, names: tables(generation, model), numberOf, sizeOf };
  const matching = condition(source, query.where);
  const state = (): ReturnType<typeof stateOf> => stateOf(file, generation, model);
  return { type: 'page', page: readPage(source, query, matching, state, totals) };
}
