/** Streams that generations do not follow any longer. A document for each: the state of a projection stays small. */
import { type Collection, type Db } from 'mongodb';
import { type Position, type StreamName } from '../../../core/event-log.js';
import { type Mark } from '../../../core/marks.js';
import { type Generation } from '../../../core/projection.js';

interface StoredMark extends Mark {
  /** Projection, generation and stream. */
  readonly _id: string;
}

const collectionIn = (db: Db): Collection<StoredMark> => db.collection<StoredMark>('marks');

const idOf = (projection: string, generation: Generation, stream: string): string =>
  `${projection} ${generation} ${stream}`;

/** "!" comes after the space that ends the number of the generation. */
const ofGeneration = (
  projection: string,
  generation: Generation,
): { readonly _id: { readonly $gt: string; readonly $lt: string } } => ({
  _id: { $gt: idOf(projection, generation, ''), $lt: `${projection} ${generation}!` },
});

/** `after`: only those of later events. */
export async function loadMarks(
  db: Db,
  projection: string,
  generation: Generation,
  after: Position | null = null,
): Promise<readonly Mark[]> {
  const later = after === null ? {} : { position: { $gt: after } };
  const stored = await collectionIn(db)
    .find({ ...ofGeneration(projection, generation), ...later })
    .toArray();
  return stored.map(markIn);
}

function markIn({ stream, type, schema, revision, position, reason }: Mark): Mark {
  return { stream, type, schema, revision, position, reason };
}

/** Before the checkpoint of their commit, which makes them known. */
export async function writeMarks(
  db: Db,
  projection: string,
  generation: Generation,
  marks: readonly Mark[],
): Promise<void> {
  for (const mark of marks) {
    await collectionIn(db).replaceOne({ _id: idOf(projection, generation, mark.stream) }, markIn(mark), {
      upsert: true,
    });
  }
}

export async function removeMarks(db: Db, projection: string, generation: Generation): Promise<void> {
  await collectionIn(db).deleteMany(ofGeneration(projection, generation));
}

export interface KnownMarks {
  readonly generation: Generation;
  /** Position of the last one. */
  readonly marked?: Position;
  readonly marks: Map<StreamName, Mark>;
}

/** Reads those that came since, and adds them to the known ones. */
export async function knownMarks(
  db: Db,
  { id, generation, marked }: { readonly id: string; readonly generation: Generation; readonly marked?: Position },
  before: KnownMarks | undefined,
): Promise<KnownMarks> {
  const none: KnownMarks = { generation, marks: new Map() };
  if (marked === undefined) return none;
  const last = before?.generation === generation ? before : none;
  if (last.marked === marked) return last;
  for (const mark of await loadMarks(db, id, generation, last.marked)) {
    if (mark.position <= marked) last.marks.set(mark.stream, mark);
  }
  return { generation, marked, marks: last.marks };
}
