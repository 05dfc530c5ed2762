import { setImmediate } from 'node:timers/promises';
import { type Db } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { type Kept, type Generation } from '../../../core/projection.js';
import { slicesOfRows, SLICE_ROWS } from '../../shared/read-slices.js';
import { projectionDocuments } from '../projection-documents.js';
import { documentIn, documentsOf, isLive, rowsIn, type Body, type Row } from './documents.js';
import { ANY, sortable, sorted } from './entries.js';

/** In the order of ids, which an index has. */
export async function* documentSlices(
  db: Db,
  generation: Generation,
  model: string,
): AsyncGenerator<readonly Kept[], void> {
  const rows = rowsIn(documentsOf(db, model, generation), {}, { sort: { _id: 1 }, batchSize: SLICE_ROWS });
  for await (const slice of slicesOfRows(rows, sizeOf)) {
    yield slice.flatMap((row) => ('gone' in row ? [] : [keptOf(row)]));
    await setImmediate();
  }
}

function keptOf(row: Row): Kept {
  return { id: sorted(row._id), body: isLive(row) ? jsonIn(row.body) : '', position: row.position };
}

const jsonIn = (body: Body): string => (typeof body === 'string' ? body : JSON.stringify(documentIn(body)));

const sizeOf = (row: Row): number => (isLive(row) ? row.body.length : 0);

export async function verifyGeneration(
  db: Db,
  projection: string,
  generation: Generation,
  models: readonly string[],
  onRows: (rows: number) => void = () => undefined,
): Promise<readonly string[]> {
  const state = (await projectionDocuments(db).findOne({ _id: projection }))?.runs[generation];
  const checkpoint = state?.position ?? null;
  const findings: string[] = [];
  for (const model of models) findings.push(...(await verifyModel({ db, onRows }, model, generation, checkpoint)));
  return findings;
}

async function verifyModel(
  { db, onRows }: { readonly db: Db; readonly onRows: (rows: number) => void },
  model: string,
  generation: Generation,
  checkpoint: Position | null,
): Promise<readonly string[]> {
  const collection = documentsOf(db, model, generation);
  const counts = new Map<string, number>();
  let live = 0;
  const all = rowsIn(collection, {}, { batchSize: SLICE_ROWS });
  for await (const slice of slicesOfRows(all, sizeOf)) {
    for (const row of slice) {
      if (isLive(row)) live += 1;
      for (const finding of findingsIn(row, checkpoint)) counts.set(finding, (counts.get(finding) ?? 0) + 1);
    }
    onRows(slice.length);
    await setImmediate();
  }
  const findings = [...counts].map(([finding, n]) => `${model}: ${n} ${finding}`);
  const found = await collection.countDocuments({ e: ANY });
  if (found !== live) findings.push(`${model}: ${live} documents, but ${found} in the index`);
  return findings;
}

/** What is wrong with a document, in words for a number of them. */
function findingsIn(row: Row, checkpoint: Position | null): readonly string[] {
  const findings: string[] = [];
  if (checkpoint === null || row.position > checkpoint) findings.push('documents later than the checkpoint');
  if (isLive(row)) findings.push(...wrongWith(row.body, row._id));
  else if (!('gone' in row)) findings.push('documents neither there nor gone');
  return findings;
}

function wrongWith(body: Body, _id: string): readonly string[] {
  try {
    const { id }: { readonly id?: unknown } = documentIn(body);
    const isNamed = (typeof id === 'string' || typeof id === 'number') && sortable(id) === _id;
    return isNamed ? [] : ['documents under the id of another one'];
  } catch {
    return ['documents that cannot be read'];
  }
}
