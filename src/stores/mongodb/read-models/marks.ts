/** Streams that runs do not follow any longer. A document for each: the state of a projection stays small. */
import { type Collection, type Db } from 'mongodb';
import { type Position, type Revision, type StreamName } from '../../../core/event-log.js';
import { NO_MARKS, type Mark, type Marks } from '../../../core/marks.js';
import { type Run } from '../../../core/projection.js';
import { type Served } from './serving-state.js';

interface StoredMark {
  /** Projection, run and stream. */
  readonly _id: string;
  readonly type: string;
  readonly schema: number | null;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  readonly reason: string;
}

const collectionIn = (db: Db): Collection<StoredMark> => db.collection<StoredMark>('marks');

const idOf = (projection: string, run: Run, stream: string): string => `${projection} ${run} ${stream}`;

/** "!" comes after the space that ends the number of the run. */
const ofRun = (projection: string, run: Run): { readonly _id: { readonly $gt: string; readonly $lt: string } } => ({
  _id: { $gt: idOf(projection, run, ''), $lt: `${projection} ${run}!` },
});

/** `after`: only those of later events. */
export async function loadMarks(
  db: Db,
  projection: string,
  run: Run,
  after: Position | null = null,
): Promise<readonly Mark[]> {
  const later = after === null ? {} : { position: { $gt: after } };
  const stored = await collectionIn(db)
    .find({ ...ofRun(projection, run), ...later })
    .toArray();
  return stored.map(markIn);
}

function markIn({ stream, type, schema, revision, position, reason }: Mark): Mark {
  return { stream, type, schema, revision, position, reason };
}

/** Before the checkpoint of their commit, which makes them known. */
export async function writeMarks(db: Db, projection: string, run: Run, marks: readonly Mark[]): Promise<void> {
  for (const mark of marks) {
    await collectionIn(db).replaceOne({ _id: idOf(projection, run, mark.stream) }, markIn(mark), { upsert: true });
  }
}

/** For the update of the checkpoint: how readers come to know that there are marks. */
export function lastMarked(run: Run, marks: readonly Mark[]): Readonly<Record<string, Position>> {
  const [first, ...others] = marks.map(({ position }) => position);
  if (first === undefined) return {};
  return { [`runs.${run}.marked`]: others.reduce((last, one) => (one > last ? one : last), first) };
}

export async function removeMarks(db: Db, projection: string, run: Run): Promise<void> {
  await collectionIn(db).deleteMany(ofRun(projection, run));
}

export interface ReadMarks {
  /** Reads those that came since. */
  follow(served: readonly Served[]): Promise<void>;
  of(served: Served | undefined): Marks;
}

interface Known {
  readonly marked: Position;
  readonly marks: Marks;
}

export function readMarks(db: Db): ReadMarks {
  let known: ReadonlyMap<string, Known> = new Map();
  let latest: ReadonlyMap<string, Known> = new Map();
  const nameOf = ({ projection, run }: Served): string => `${projection} ${run}`;
  return {
    follow: async (served) => {
      const now = new Map<string, Known>();
      for (const one of served) {
        const last = known.get(nameOf(one));
        if (one.marked !== undefined) now.set(nameOf(one), await upTo(db, one, one.marked, last));
      }
      // Those of runs that were served until now are of use until readers see the others.
      known = new Map([...latest, ...now]);
      latest = now;
    },
    of: (served) => (served?.marked === undefined ? NO_MARKS : (known.get(nameOf(served))?.marks ?? NO_MARKS)),
  };
}

async function upTo(db: Db, { projection, run }: Served, marked: Position, last: Known | undefined): Promise<Known> {
  if (last?.marked === marked) return last;
  const marks = await loadMarks(db, projection, run, last?.marked);
  const known = marks.filter(({ position }) => position <= marked);
  return { marked, marks: new Map([...(last?.marks ?? []), ...known.map((mark) => [mark.stream, mark] as const)]) };
}
