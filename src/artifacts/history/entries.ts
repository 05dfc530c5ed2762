/** The events of a page with the values before them, read slice by slice: all at once may be gigabytes. */
import { type EventReader, type Recorded, type Revision } from '../../core/event-log.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { slicesForReader } from '../../core/stream-slices.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { artifactStream, type ArtifactEvent } from '../artifact-events.js';
import { inSlices, sizeOfValues } from '../representation/in-slices.js';
import { spanOf, type PageOfEvents, type Span } from './page.js';

export interface Entry {
  readonly event: Recorded<ArtifactEvent>;
  /** Of the fields that the event writes, at least. */
  readonly before: FieldValues;
}

/** What is held of each event of a page. */
interface Place {
  readonly revision: Revision;
  /** About how many characters it takes where it is shown. */
  readonly size: number;
  /** For each field that the event writes: which event wrote it before. */
  readonly writtenBefore: readonly Written[];
}

interface Written {
  readonly key: string;
  readonly revision: Revision;
  readonly size: number;
}

interface Places {
  readonly places: readonly Place[];
  /** All values before the first of them: most pages need no others. Null once they are released. */
  before: FieldValues | null;
}

/** Where from, and for whom. */
export interface LogReading {
  readonly log: Pick<EventReader, 'read'>;
  /** Aborts when no request waits for the answer any longer. */
  readonly gone?: AbortSignal;
  /** Whether the request has read the stream before. */
  readonly follows?: boolean;
}

export const valuesIn = (event: ArtifactEvent): FieldValues => ('values' in event.data ? event.data.values : {});

export async function entriesOf(
  id: number,
  search: PageOfEvents,
  reading: LogReading,
): Promise<{ readonly slices: AsyncGenerator<readonly Entry[], void, void>; readonly total: number }> {
  // Its event may be as large as an artifact.
  await othersTurn();
  const { revision } = await reading.log.read(artifactStream(id), { last: 1 });
  const total = revision + 1;
  return { slices: entrySlices(id, search.order, spanOf(search, total), reading), total };
}

async function* entrySlices(id: number, order: PageOfEvents['order'], span: Span, reading: LogReading) {
  if (span.from >= span.to) return;
  const found = await placesOf(id, span, reading);
  const { places } = found;
  const page = order === 'asc' ? places : places.toReversed();
  for await (const some of inSlices(page, ({ size }) => size)) {
    reading.gone?.throwIfAborted();
    const slice = order === 'asc' ? some : some.toReversed();
    const entries = await entriesAt(id, slice, await valuesBefore(id, slice, found, reading), reading);
    yield order === 'asc' ? entries : entries.toReversed();
  }
}

async function placesOf(id: number, { from, to }: Span, { log, gone }: LogReading): Promise<Places> {
  const places: Place[] = [];
  const before: Record<string, FieldValue> = {};
  const last = new Map<string, Written>();
  for await (const events of slicesForReader<ArtifactEvent>(log, artifactStream(id), { to, gone })) {
    for (const event of events) {
      const { revision } = event;
      if (revision >= to) return { places, before };
      const written = writtenBy(event);
      if (revision < from) Object.assign(before, valuesIn(event));
      else {
        const writtenBefore = written.flatMap(({ key }) => last.get(key) ?? []);
        places.push({ revision, size: sizeOf([...written, ...writtenBefore]) + commentSize(event), writtenBefore });
      }
      for (const one of written) last.set(one.key, one);
    }
  }
  return { places, before };
}

const writtenBy = (event: Recorded<ArtifactEvent>): readonly Written[] =>
  Object.entries(valuesIn(event)).map(([key, value]) => ({
    key,
    revision: event.revision,
    size: sizeOfValues({ [key]: value }),
  }));

const sizeOf = (all: readonly Written[]): number => all.reduce((sum, { size }) => sum + size, 0);

const commentSize = ({ data }: ArtifactEvent): number => ('comment' in data ? data.comment.text.length : 0);

/** About how many characters it takes where it is shown: what was before, too. */
export function sizeOfEntry({ event, before }: Entry): number {
  const replaced = Object.keys(valuesIn(event)).map((key) => [key, before[key] ?? null] as const);
  return sizeOf(writtenBy(event)) + sizeOfValues(Object.fromEntries(replaced)) + commentSize(event);
}

/** Of places that follow one another. */
async function entriesAt(
  id: number,
  places: readonly Place[],
  first: FieldValues,
  { log }: LogReading,
): Promise<readonly Entry[]> {
  const [from, to] = [places[0]?.revision ?? 0, places.at(-1)?.revision ?? -1];
  let before = first;
  const entries: Entry[] = [];
  for (let next = from; next <= to;) {
    const { events, revision } = await log.read<ArtifactEvent>(artifactStream(id), { from: next, to });
    for (const event of events) {
      entries.push({ event, before });
      before = { ...before, ...valuesIn(event) };
    }
    next = revision + 1;
  }
  return entries;
}

/** What the fields of these places were before the first of them. Of each event only this is held. */
async function valuesBefore(id: number, slice: readonly Place[], page: Places, reading: LogReading) {
  const known = slice[0] === page.places[0] ? page.before : null;
  // Not held while the client takes what there is: hardly another slice needs them.
  page.before = null;
  return known ?? (await readValuesBefore(id, slice, reading));
}

async function readValuesBefore(id: number, places: readonly Place[], { log, gone }: LogReading): Promise<FieldValues> {
  const first = Math.min(...places.map(({ revision }) => revision));
  const wanted = new Map<Revision, string[]>();
  for (const { key, revision } of places.flatMap(({ writtenBefore }) => writtenBefore)) {
    if (revision < first) wanted.set(revision, [...(wanted.get(revision) ?? []), key]);
  }
  const found: Record<string, FieldValue> = {};
  for (const [revision, keys] of wanted) {
    gone?.throwIfAborted();
    const { events } = await log.read<ArtifactEvent>(artifactStream(id), { from: revision, to: revision });
    for (const event of events) for (const key of keys) Object.assign(found, { [key]: valuesIn(event)[key] });
  }
  return found;
}
