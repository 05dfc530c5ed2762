import { setImmediate } from 'node:timers/promises';
import { type Db } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { type Kept, type Generation } from '../../../core/projection.js';
import { documentsOf, type LiveDocument, type StoredDocument } from './documents.js';
import { ANY, sortable, sorted } from './entries.js';
import { type Fence } from './fenced-updates.js';
import { inSlices, SLICE_ROWS } from '../../shared/read-slices.js';

/** What can be wrong with a document, in words for a number of them. */
const FINDINGS = {
  neither: 'documents neither there nor gone',
  unreadable: 'documents that are no JSON',
  misnamed: 'documents under the id of another one',
  early: 'documents later than the checkpoint',
} as const;

type Finding = keyof typeof FINDINGS;

/** In the order of ids, which an index has. */
export async function* documentSlices(
  db: Db,
  generation: Generation,
  model: string,
): AsyncGenerator<readonly Kept[], void> {
  const options = { projection: { position: 1, body: 1, gone: 1 }, sort: { _id: 1 }, batchSize: SLICE_ROWS } as const;
  for await (const slice of inSlices(documentsOf(db, model, generation).find({}, options), sizeOf)) {
    yield slice.flatMap((document) => ('gone' in document ? [] : [keptOf(document)]));
    await setImmediate();
  }
}

function keptOf({ _id, body, position }: Partial<LiveDocument> & Pick<LiveDocument, '_id' | 'position'>): Kept {
  return { id: sorted(_id), body: body ?? '', position };
}

function sizeOf(document: StoredDocument): number {
  return 'body' in document ? document.body.length : 0;
}

export async function verifyGeneration(
  { db, projections }: Fence,
  projection: string,
  generation: Generation,
  models: readonly string[],
  onRows: (rows: number) => void = () => undefined,
): Promise<readonly string[]> {
  const state = (await projections.findOne({ _id: projection }))?.runs[generation];
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
  const counts = new Map<Finding, number>();
  let live = 0;
  const all = collection.find({}, { projection: { position: 1, body: 1, gone: 1 }, batchSize: SLICE_ROWS });
  for await (const slice of inSlices(all, sizeOf)) {
    for (const document of slice) {
      if ('body' in document) live += 1;
      for (const finding of findingsIn(document, checkpoint)) counts.set(finding, (counts.get(finding) ?? 0) + 1);
    }
    onRows(slice.length);
    await setImmediate();
  }
  const findings = [...counts].map(([finding, n]) => `${model}: ${n} ${FINDINGS[finding]}`);
  const found = await collection.countDocuments({ e: ANY });
  if (found !== live) findings.push(`${model}: ${live} documents, but ${found} in the index`);
  return findings;
}

function findingsIn(document: StoredDocument, checkpoint: Position | null): readonly Finding[] {
  const findings: Finding[] = [];
  if (checkpoint === null || document.position > checkpoint) findings.push('early');
  if ('body' in document) findings.push(...wrongWith(document.body, document._id));
  else if (!('gone' in document)) findings.push('neither');
  return findings;
}

function wrongWith(body: string, _id: string): readonly Finding[] {
  try {
    const { id } = JSON.parse(body) as { readonly id?: unknown };
    const isNamed = (typeof id === 'string' || typeof id === 'number') && sortable(id) === _id;
    return isNamed ? [] : ['misnamed'];
  } catch {
    return ['unreadable'];
  }
}
