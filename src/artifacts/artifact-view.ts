/** The documents of artifacts, what can be asked of them, and how criteria name it. */
import { epochSeconds } from '../core/clock.js';
import { type Revision } from '../core/event-log.js';
import { type Document, type IndexEntry, type ReadModel } from '../core/read-models.js';
import { foldText } from '../core/text/spelling.js';
import { numbersOf, openItemKey } from '../trackers/field-types/canonical.js';
import { type Field, type FieldType, type Semantics } from '../trackers/field-types/definition.js';
import { type FieldValue, type FieldValues } from '../trackers/field-types/field-value.js';

export interface ArtifactView extends Document {
  readonly id: number;
  readonly trackerId: number;
  /** Number in its tracker, from 1, in the order of creation. */
  readonly atid: number;
  readonly revision: Revision;
  readonly values: FieldValues;
  /** User ids and UTC instants. */
  readonly submittedBy: number | null;
  readonly submittedOn: string;
  readonly lastUpdateBy: number | null;
  readonly lastUpdateOn: string;
}

/** As it is stored: with what decides who finds it, and what reports ask of it. */
export interface ArtifactDocument extends ArtifactView {
  /** Fields that are taken to lock a user out. */
  readonly limitedBy: readonly number[];
  /** Fields without entries: no query uses them, because the audience holds their groups. */
  readonly unasked: readonly number[];
  /** Since when its status is none of the open ones, by what was open then; null for an open one. */
  readonly closedOn: string | null;
  /** One of its changes has a comment. */
  readonly isCommented?: true;
}

/** Values: ids of the artifacts that this one links to, in all fields and trackers. */
export const LINKS_KEY = 'links';

/** What every artifact has, by the shortname of its field's type. Instants are seconds since 1970, as all are. */
const OWN_TYPES = ['aid', 'atid', 'subby', 'luby', 'subon', 'lud'] as const;
export type OwnType = (typeof OWN_TYPES)[number];
const isOwnType = (type: FieldType): type is OwnType => OWN_TYPES.some((own) => own === type);

/** All but links are asked within one tracker: that is how their keys begin. */
const keyIn = (trackerId: number, name: string): string => `${trackerId}.${name}`;
export const ownKey = (trackerId: number, type: OwnType): string => keyIn(trackerId, type);
/** Every artifact of the tracker has it. */
export const inTracker = (trackerId: number) => ({ key: keyIn(trackerId, 'all'), value: 1 });
/** Of an artifact with comments; and the words of these. */
export const commentsKey = (trackerId: number): string => keyIn(trackerId, 'comments');
/** Who may see an artifact. Values: see `limits` and `grant`. */
export const audienceKey = (trackerId: number): string => keyIn(trackerId, 'audience');
/** Which fields limit an artifact, all of them; empty for one that every reader may see. */
export const limits = (fields: readonly number[]): string => fields.join();
/** One of the groups that a field grants an artifact to. */
export const grant = (field: number, group: number): string => `${field}=${group}`;

export const fieldName = (fieldId: number | string): string => `f${fieldId}`;
export const fieldKey = (trackerId: number, fieldId: number | string): string => keyIn(trackerId, fieldName(fieldId));
/** Of a used field of any type. */
export const askedKey = (trackerId: number, { id, type }: Pick<Field, 'id' | 'type'>): string =>
  isOwnType(type) ? ownKey(trackerId, type) : fieldKey(trackerId, id);

export const ARTIFACTS = 'artifacts';

/** As they stood when they were deleted: for those who may audit them. */
export const deletedArtifactViews: ReadModel<ArtifactView> = { name: 'deleted-artifacts', category: 'artifact' };

export const artifactViews: ReadModel<ArtifactDocument> = {
  name: ARTIFACTS,
  category: 'artifact',
  gone: deletedArtifactViews,
  stamped: { references: LINKS_KEY },
  entries: artifactEntries,
};

/** What the documents of its artifacts need of a tracker. */
export interface ArtifactTrackerView extends Document {
  readonly id: number;
  /** How many artifacts there ever were. */
  readonly submitted: number;
  /** How often they changed: this document changes whenever one of its artifacts does, but for claims of files that end. */
  readonly changes: number;
  /** Of all fields that it ever had, as far as they are known. */
  readonly types: Readonly<Record<string, FieldType>>;
  /** Null where it does not say which values are open. */
  readonly status: NonNullable<Semantics['status']> | null;
}

export const artifactTrackerViews: ReadModel<ArtifactTrackerView> = { name: 'artifact-trackers', stamped: {} };

/** It fills one list, because it runs at each change, and for each artifact of a rebuild. */
export function artifactEntries(artifact: ArtifactDocument): readonly IndexEntry[] {
  const { trackerId, values, unasked } = artifact;
  const entries: IndexEntry[] = [{ ...inTracker(trackerId), unordered: true }];
  const own: Readonly<Record<OwnType, number | null>> = {
    aid: artifact.id,
    atid: artifact.atid,
    subby: artifact.submittedBy,
    luby: artifact.lastUpdateBy,
    subon: epochSeconds(artifact.submittedOn),
    lud: epochSeconds(artifact.lastUpdateOn),
  };
  for (const type of OWN_TYPES) addEntries(entries, ownKey(trackerId, type), own[type]);
  for (const [field, value] of Object.entries(values)) {
    if (!unasked.includes(Number(field))) addEntries(entries, fieldKey(trackerId, field), value);
  }
  if (artifact.isCommented === true) entries.push({ key: commentsKey(trackerId), value: 1, unordered: true });
  addAudience(entries, artifact);
  return entries;
}

function addAudience(entries: IndexEntry[], { trackerId, limitedBy, values }: ArtifactDocument): void {
  const key = audienceKey(trackerId);
  entries.push({ key, value: limits(limitedBy), unordered: true });
  for (const field of limitedBy) {
    for (const group of numbersOf(values[String(field)])) {
      entries.push({ key, value: grant(field, group), unordered: true });
    }
  }
}

function addEntries(entries: IndexEntry[], key: string, value: FieldValue): void {
  if (value === null) return;
  if (typeof value === 'number') entries.push({ key, value });
  else if (typeof value === 'string') addString(entries, key, value);
  else if (isItems(value)) addItems(entries, key, value);
  else if ('text' in value) entries.push({ key, text: value.text });
  else if ('date' in value) entries.push({ key, value: epochSeconds(value.date) });
}

/** So many characters of a string sort it: a long text in an index would be its size again. */
const SORTING = /^.{0,32}/su;

function addString(entries: IndexEntry[], key: string, text: string): void {
  entries.push({ key, text });
  const [beginning = ''] = SORTING.exec(foldText(text.trim())) ?? [];
  entries.push({ key, value: beginning });
}

type Items = Extract<FieldValue, readonly unknown[]>;
type Parts = Exclude<Extract<FieldValue, object>, Items>;

const isItems = (value: Items | Parts): value is Items => Array.isArray(value);

/** Under the key of a link field stand the types of its links, each once. */
function addItems(entries: IndexEntry[], key: string, items: Items): void {
  const types = new Set<string>();
  for (const item of items) {
    entries.push(itemEntry(key, item));
    if (typeof item === 'object' && 'id' in item) types.add(item.type);
  }
  for (const value of types) entries.push({ key, value, unordered: true });
}

export function itemEntry(key: string, item: Items[number]): IndexEntry {
  if (typeof item === 'number') return { key, value: item };
  if ('id' in item) return { key: LINKS_KEY, value: item.id, unordered: true };
  return { key, value: openItemKey(item) };
}
