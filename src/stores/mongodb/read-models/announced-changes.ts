/** Which documents commits change: a commit announces them, and readers remember them. */
import { type Position } from '../../../core/event-log.js';
import { type Change, type Generation } from '../../../core/projection.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';
import { type AnnouncedCommit, type ChangedDocuments, type RecentCommits } from '../projection-documents.js';
import { type Served } from './state.js';

/** Of the commits of one generation that are announced together. A look may come after several of them. */
const MOST_ANNOUNCED = 500;

interface Announcing {
  readonly token: number;
  readonly recent: RecentCommits;
}

/** Of one process. Under another lease it begins anew, because others may have committed meanwhile. */
export interface RecentlyAnnounced {
  /** With these changes as the last commit. `name`: of the generation. */
  add(name: string, token: number, position: Position, changes: readonly Change[]): RecentCommits;
}

export function recentlyAnnounced(): RecentlyAnnounced {
  const known = new Map<string, Announcing>();
  return {
    add: (name, token, position, changes) => {
      const last = known.get(name);
      const changed = changedBy(changes);
      const isNext = changed !== null && last?.token === token;
      const recent = isNext ? latest(last.recent, { position, changed }) : { after: position, commits: [] };
      known.set(name, { token, recent });
      return recent;
    },
  };
}

/** Null where it is not known what a document refers to no longer. */
function changedBy(changes: readonly Change[]): AnnouncedCommit['changed'] | null {
  const models = new Map<string, { ids: Document['id'][]; referredTo: Document['id'][] }>();
  for (const { model, id, document, before } of changes) {
    if (before === undefined) return null;
    const known = models.get(model.name) ?? { ids: [], referredTo: [] };
    models.set(model.name, known);
    known.ids.push(id);
    known.referredTo.push(...referencesOf(model, document), ...referencesOf(model, before?.document ?? null));
  }
  return Object.fromEntries(models);
}

function referencesOf(model: ReadModel<Document>, document: Document | null): readonly Document['id'][] {
  if (document === null || model.references === undefined) return [];
  const entries = model.entries?.(document) ?? [];
  return entries.flatMap((entry) => ('value' in entry && entry.key === model.references ? [entry.value] : []));
}

function latest({ after, commits }: RecentCommits, commit: AnnouncedCommit): RecentCommits {
  const all = [...commits, commit];
  let from = all.length;
  for (let size = 0; from > 0; from -= 1) {
    size += sizeOf(all[from - 1]);
    if (size > MOST_ANNOUNCED) break;
  }
  return { after: all[from - 1]?.position ?? after, commits: all.slice(from) };
}

function sizeOf(commit: AnnouncedCommit | undefined): number {
  const each = Object.values<ChangedDocuments>(commit?.changed ?? {});
  return each.reduce((size, { ids, referredTo }) => size + 1 + ids.length + referredTo.length, 1);
}

/** More of them are forgotten, and with them all that was known until then. */
const MOST_REMEMBERED = 100_000;

interface Remembered {
  readonly generation: Generation;
  /** Differs from that of every other time from which on all changes are known. */
  readonly since: number;
  /** Of the last change that is known. */
  readonly covered: Position;
  /** The last change of documents, and of those that refer to one. */
  readonly positions: Map<string, Position>;
}

/** What a reader knows of the documents that have changed. */
export interface ChangesSeen {
  /** As a look found it. */
  look(served: Served): void;
  /** See `ReadModels.stamp`. */
  stamp(
    served: Served | undefined,
    model: string,
    ids: readonly Document['id'][],
    referredTo?: Document['id'],
  ): string | undefined;
}

const START = '' as Position;

export function changesSeen(): ChangesSeen {
  const known = new Map<string, Remembered>();
  let begun = 0;
  const begin = (generation: Generation, covered: Position): Remembered => {
    begun += 1;
    return { generation, since: begun, covered, positions: new Map() };
  };
  return {
    look: ({ id, generation, changed, recent }) => {
      const last = Object.values(changed).reduce((one, other) => (one > other ? one : other), START);
      const before = known.get(id);
      if (before?.generation === generation && before.covered === last) return;
      const isNext = before?.generation === generation && isContinuation(before, recent, last);
      known.set(
        id,
        isNext && before.positions.size < MOST_REMEMBERED ? grown(before, recent, last) : begin(generation, last),
      );
    },
    stamp: (served, model, ids, referredTo) => {
      const seen = known.get(served?.id ?? '');
      if (served === undefined || seen?.generation !== served.generation) return undefined;
      const own = ids.map((id) => seen.positions.get(nameOf(model, id)) ?? '');
      const referring = referredTo === undefined ? '' : (seen.positions.get(nameOfReferring(model, referredTo)) ?? '');
      return [served.id, seen.since, served.marked, referring, ...own].join(' ');
    },
  };
}

const nameOf = (model: string, id: Document['id']): string => `${model} ${id}`;
const nameOfReferring = (model: string, id: Document['id']): string => `${model} to ${id}`;

/** Whether it tells all changes since. An older announcement may have overtaken a newer one. */
function isContinuation(
  { covered }: Remembered,
  recent: RecentCommits | undefined,
  last: Position,
): recent is RecentCommits {
  if (recent === undefined || recent.after > covered) return false;
  return (recent.commits.at(-1)?.position ?? recent.after) === last;
}

function grown(before: Remembered, recent: RecentCommits, covered: Position): Remembered {
  for (const { position, changed } of recent.commits) {
    for (const [model, { ids, referredTo }] of Object.entries<ChangedDocuments>(changed)) {
      for (const id of ids) before.positions.set(nameOf(model, id), position);
      for (const id of referredTo) before.positions.set(nameOfReferring(model, id), position);
    }
  }
  return { ...before, covered };
}
