/** Which documents commits change: a commit announces them, and readers remember them. */
import { type Position } from '../../../core/event-log.js';
import { type Change, type Generation } from '../../../core/projection.js';
import { type Document, type ReadModel, type ReadModels } from '../../../core/read-models.js';
import {
  type AnnouncedCommit,
  type ChangedDocuments,
  type RecentCommits,
  type StoredGeneration,
} from '../projection-documents.js';

/** Ids of all commits that are announced together, and one more for each read model and commit. */
const MOST_ANNOUNCED = 200;

/** Of one process. */
export interface RecentlyAnnounced {
  /** With these changes as the last commit. Undefined if they are of no document with a stamp. `name`: of the generation. */
  add(name: string, token: number, changes: readonly Change[]): RecentCommits | undefined;
}

export function recentlyAnnounced(): RecentlyAnnounced {
  const known = new Map<string, RecentCommits>();
  return {
    add: (name, token, changes) => {
      const stamped = changes.filter(({ model }) => model.stamped !== undefined);
      if (stamped.length === 0) return undefined;
      const last = known.get(name);
      const { count, commits } = last?.token === token ? last : { count: 0, commits: [] };
      const recent = { token, count: count + 1, commits: latest([...commits, changedBy(stamped)]) };
      known.set(name, recent);
      return recent;
    },
  };
}

/** Undefined where it is not known what a document refers to no longer. */
function changedBy(changes: readonly Change[]): AnnouncedCommit | undefined {
  const models = new Map<string, { ids: Set<Document['id']>; referredTo: Set<Document['id']> }>();
  for (const { model, id, document, before } of changes) {
    if (before === undefined) return undefined;
    const known = models.get(model.name) ?? { ids: new Set(), referredTo: new Set() };
    models.set(model.name, known);
    known.ids.add(id);
    for (const one of [document, before?.document ?? null]) {
      for (const target of referencesOf(model, one)) known.referredTo.add(target);
    }
  }
  return Object.fromEntries(
    [...models].map(([name, { ids, referredTo }]) => [name, { ids: [...ids], referredTo: [...referredTo] }]),
  );
}

function referencesOf(model: ReadModel<Document>, document: Document | null): readonly Document['id'][] {
  const key = model.stamped?.references;
  if (document === null || key === undefined) return [];
  const entries = model.entries?.(document) ?? [];
  return entries.flatMap((entry) => ('value' in entry && entry.key === key ? [entry.value] : []));
}

/** Those behind the last one that is not known. */
function latest(all: readonly (AnnouncedCommit | undefined)[]): readonly AnnouncedCommit[] {
  const kept: AnnouncedCommit[] = [];
  let size = 0;
  for (const commit of all.toReversed()) {
    size += commit === undefined ? Infinity : sizeOf(commit);
    if (commit === undefined || size > MOST_ANNOUNCED) break;
    kept.push(commit);
  }
  return kept.reverse();
}

function sizeOf(commit: AnnouncedCommit): number {
  const each = Object.values<ChangedDocuments>(commit);
  return each.reduce((size, { ids, referredTo }) => size + 1 + ids.length + referredTo.length, 1);
}

/** More of them are forgotten, and with them all that was known until then. */
const MOST_REMEMBERED = 100_000;

interface Remembered {
  readonly generation: Generation;
  /** Of the lease. */
  readonly token: number;
  /** Of the commits that were announced under it. */
  readonly count: number;
  readonly changed: Position;
  /** Another number whenever changes may have been missed. */
  readonly since: number;
  /** By document, and by document that others refer to: which commit changed it last. */
  readonly commits: Map<string, number>;
}

interface Served extends Pick<StoredGeneration, 'changed' | 'recent' | 'marked'> {
  readonly id: string;
  readonly generation: Generation;
  readonly token: number;
}

/** What a reader knows of the documents that have changed. */
export interface ChangesSeen {
  /** All that is served, as a look found it. */
  look(all: readonly Served[]): void;
  /** See `ReadModels.stamp`. `served`: undefined without a generation. */
  stamp(served: Served | undefined, ...asked: Parameters<ReadModels['stamp']>): string | undefined;
}

const START = '' as Position;

export function changesSeen(): ChangesSeen {
  let known: ReadonlyMap<string, Remembered> = new Map();
  let begun = 0;
  const remembered = ({ id, generation, token, changed, recent }: Served): Remembered => {
    const told = recent?.token === token ? recent : undefined;
    const now = { generation, token, count: told?.count ?? 0, changed: lastOf(changed) };
    const before = known.get(id);
    if (before !== undefined && isNext(before, now, told)) {
      return { ...now, since: before.since, commits: grown(before, told) };
    }
    begun += 1;
    return { ...now, since: begun, commits: new Map() };
  };
  return {
    look: (all) => {
      known = new Map(all.map((served) => [served.id, remembered(served)]));
    },
    stamp: (served, { name }, ids, referredTo) => {
      const seen = known.get(served?.id ?? '');
      // A worker of this process reports its commits ahead of the look that finds them.
      if (served === undefined || seen?.generation !== served.generation || seen.changed !== lastOf(served.changed)) {
        return undefined;
      }
      const commitOf = (key: string): number | '' => seen.commits.get(key) ?? '';
      const referring = referredTo === undefined ? '' : commitOf(nameOfReferring(name, referredTo));
      return [served.id, seen.since, served.marked, referring, ...ids.map((id) => commitOf(nameOf(name, id)))].join(
        ' ',
      );
    },
  };
}

const lastOf = (changed: Served['changed']): Position =>
  Object.values(changed).reduce((one, other) => (one > other ? one : other), START);

const nameOf = (model: string, id: Document['id']): string => `${model} ${id}`;
const nameOfReferring = (model: string, id: Document['id']): string => `${model} to ${id}`;

type Now = Omit<Remembered, 'since' | 'commits'>;

/** Whether all changes since the look before are told. A worker of an earlier release tells none, and a restored database older ones. */
function isNext(before: Remembered, now: Now, told: RecentCommits | undefined): boolean {
  if (before.generation !== now.generation || before.token !== now.token) return false;
  if (before.commits.size > MOST_REMEMBERED) return false;
  if (told !== undefined) return told.count - told.commits.length <= before.count && before.count <= told.count;
  return before.changed === now.changed;
}

function grown({ count, commits }: Remembered, told: RecentCommits | undefined): Map<string, number> {
  if (told === undefined) return commits;
  const first = told.count - told.commits.length;
  for (const [index, commit] of told.commits.entries()) {
    const number = first + index;
    if (number < count) continue;
    for (const [model, { ids, referredTo }] of Object.entries<ChangedDocuments>(commit)) {
      for (const id of ids) commits.set(nameOf(model, id), number);
      for (const id of referredTo) commits.set(nameOfReferring(model, id), number);
    }
  }
  return commits;
}
