/** How many artifacts of a tracker there are, by list value and audience: kept, so that no query counts them. */
import { type Document, type ReadModel } from '../core/read-models.js';
import { isList, numbersOf } from '../trackers/field-types/canonical.js';
import { type FieldType } from '../trackers/field-types/definition.js';
import {
  fieldName,
  itemEntry,
  limits,
  LINKS_KEY,
  type ArtifactDocument,
  type ArtifactTrackerView,
} from './artifact-view.js';

/** By audience. */
type Audiences = Readonly<Record<string, number>>;
/** By what is counted, in groups: one that changes is copied. */
type Counts = Readonly<Record<string, Readonly<Record<string, Audiences>>>>;

export interface TrackerCounts extends Document {
  readonly id: number;
  /** Which fields limit an artifact, of all artifacts that ever were: see `limits`. */
  readonly limits: readonly string[];
  /** Of all artifacts and of each list value. What was counted once stays, at nothing if need be. */
  readonly counts: Counts;
  /** Of the counts, in characters or more. It never falls. */
  readonly size: number;
}

export const trackerCounts: ReadModel<TrackerCounts> = { name: 'tracker-counts' };

/** What is counted of all artifacts. */
export const ALL = '';
export const countedValue = (key: string, value: number | string): string => `${key}=${value}`;

/** Further audiences are counted together. */
const MOST_AUDIENCES = 1000;
const REST = '*';
/** From this size on, values that are not known are not counted, and known ones for no further audience. */
const LARGEST = 256 * 1024;
/** What a count takes besides its names. */
const COUNT_SIZE = 16;

interface Counted {
  readonly what: string;
  readonly audience: string;
  readonly by: number;
}

/** With one artifact in place of another, or with one more or less. The same object where nothing changes. */
export function recounted(
  known: TrackerCounts | null,
  tracker: Pick<ArtifactTrackerView, 'id' | 'types'>,
  before: ArtifactDocument | null,
  after: ArtifactDocument | null,
): TrackerCounts | null {
  const changes = changesBetween(before, after, tracker);
  if (changes.length === 0) return known;
  const start = known ?? { id: tracker.id, limits: [], counts: {}, size: 0 };
  const set = after === null ? undefined : limits(after.limitedBy);
  return {
    ...start,
    limits: set === undefined || start.limits.includes(set) ? start.limits : [...start.limits, set],
    ...withChanges(start, changes),
  };
}

function changesBetween(
  before: ArtifactDocument | null,
  after: ArtifactDocument | null,
  { types }: Pick<ArtifactTrackerView, 'types'>,
): readonly Counted[] {
  const [from, to] = [before && audienceOf(before), after && audienceOf(after)];
  const isMoved = from !== to;
  const changes = (field: string): boolean => isMoved || before?.values[field] !== after?.values[field];
  // A field that is unchanged keeps its counts, unless the audience changes.
  const fields = fieldsOf(before, after).filter((field) => isCounted(types[field]) && changes(field));
  const [gone, come] = [countedIn(before, fields), countedIn(after, fields)];
  const only = (these: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
    [...these].filter((what) => isMoved || !others.has(what));
  return [
    ...only(gone, come).map((what) => ({ what, audience: from ?? '', by: -1 })),
    ...only(come, gone).map((what) => ({ what, audience: to ?? '', by: 1 })),
  ];
}

function fieldsOf(before: ArtifactDocument | null, after: ArtifactDocument | null): readonly string[] {
  const [old, values] = [before?.values ?? {}, after?.values ?? {}];
  return [...Object.keys(values), ...Object.keys(old).filter((field) => !Object.hasOwn(values, field))];
}

const isCounted = (type: FieldType | undefined): boolean => type !== 'file' && type !== 'perm';

/** All artifacts come first: they make their audience known. */
function countedIn(artifact: ArtifactDocument | null, fields: readonly string[]): ReadonlySet<string> {
  if (artifact === null) return new Set();
  const whats = new Set([ALL]);
  for (const field of fields) {
    const value = artifact.values[field];
    for (const item of isList(value) ? value : []) {
      const entry = itemEntry(fieldName(field), item);
      if ('value' in entry && entry.key !== LINKS_KEY) whats.add(countedValue(entry.key, entry.value));
    }
  }
  return whats;
}

/** The fields that limit it, with the groups that each of them lets in. */
function audienceOf({ limitedBy, values }: ArtifactDocument): string {
  const granted = (id: number): readonly number[] => numbersOf(values[String(id)]).toSorted((a, b) => a - b);
  return limitedBy.map((id) => `${id}:${granted(id).join()}`).join(';');
}

function withChanges(
  { counts, size: before }: Pick<TrackerCounts, 'counts' | 'size'>,
  changes: readonly Counted[],
): Pick<TrackerCounts, 'counts' | 'size'> {
  const next: Record<string, Readonly<Record<string, Audiences>>> = { ...counts };
  const copies = new Map<string, Record<string, Audiences>>();
  let size = before;
  for (const { what, audience, by } of changes) {
    const place = placeOf(next, what, audience, size < LARGEST);
    if (place === null) continue;
    const name = groupOf(what);
    const group = copies.get(name) ?? { ...next[name] };
    const audiences = group[what] ?? {};
    if (!Object.hasOwn(audiences, place)) size += what.length + place.length + COUNT_SIZE;
    group[what] = { ...audiences, [place]: (audiences[place] ?? 0) + by };
    next[name] = group;
    copies.set(name, group);
  }
  return { counts: next, size };
}

/** Ids that come one after the other are far apart. Objects whose keys are numbers are copied slowly. */
const groupOf = (what: string): string => `g${what.slice(-2)}`;
const audiencesOf = (counts: Counts | undefined, what: string): Audiences | undefined =>
  counts?.[groupOf(what)]?.[what];

/** Null for what is not counted. What was not counted by itself at first never is: there is no room for it later. */
function placeOf(counts: Counts, what: string, audience: string, hasRoom: boolean): string | null {
  const known = audiencesOf(counts, what);
  if (known !== undefined && Object.hasOwn(known, audience)) return audience;
  if (!hasRoom) return known === undefined ? null : REST;
  const all = audiencesOf(counts, ALL) ?? {};
  const isKnown = what === ALL ? Object.keys(all).length < MOST_AUDIENCES : Object.hasOwn(all, audience);
  return isKnown ? audience : REST;
}

/** Tells of an audience, by the groups of a field, whether it is let in; no groups where the field limits nothing. */
export type LetsIn = (groupsOf: (field: number) => readonly number[]) => boolean;

/** `sees`: null for every reader. Undefined where it is not known. */
export function countOf(known: TrackerCounts | null, what: string, sees: LetsIn | null): number | undefined {
  if (known === null) return 0;
  const found = audiencesOf(known.counts, what);
  if (found === undefined) return known.size < LARGEST ? 0 : undefined;
  if (sees !== null && (found[REST] ?? 0) > 0) return undefined;
  const seen = Object.entries(found).filter(([audience]) => sees?.(groupsIn(audience)) ?? true);
  return seen.reduce((sum, [, n]) => sum + n, 0);
}

function groupsIn(audience: string): (field: number) => readonly number[] {
  const parts = audience.split(';').map((part) => part.split(':'));
  return (field) => {
    const granted = parts.find(([id]) => id === String(field))?.[1];
    return granted === undefined ? [] : granted.split(',').map(Number);
  };
}
