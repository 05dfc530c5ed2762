import { randomUUID } from 'node:crypto';
import { runProjections, type Runner } from '../../../projections/engine/projection-runner.js';
import { sharedReader } from '../../../projections/workers/shared-reader.js';
import { type AnyProjection } from '../../../projections/engine/generation-progress.js';
import { type Notice } from '../../../projections/engine/projector-reports.js';
import { storedStatus, type StoredStatus } from '../../../projections/engine/projection-status.js';
import { NO_STREAM, type Event, type EventLog, type Position, type StreamName } from '../../../src/core/event-log.js';
import { eventRegistry, type EventRegistry, type EventTypes } from '../../../src/core/event-types.js';
import { effect, type Projection, type ReadModelStore } from '../../../src/core/projection.js';
import { type Document, type ReadModel } from '../../../src/core/read-models.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { sqliteReadModelStore } from '../../../src/stores/sqlite/read-models/writer.js';
import { sqliteReadModels, type SqliteReadModels } from '../../../src/stores/sqlite/read-models/reader.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

export type TallyEvent =
  | Event<'Added', { readonly tally: number; readonly amount: number }>
  | Event<'Moved', { readonly from: number; readonly to: number; readonly amount: number }>
  | Event<'Cleared', { readonly tally: number }>
  | Event<'Broken', { readonly tally: number }>;

export interface Tally extends Document {
  readonly id: number;
  readonly sum: number;
  readonly events: number;
}

export const tallies: ReadModel<Tally> = {
  name: 'tallies',
  entries: ({ sum }) => [{ key: 'sum', value: sum }],
};

export const known = { Added: [], Moved: [], Cleared: [], Broken: [], Unrelated: [] } satisfies EventTypes;

export const eventTypes = eventRegistry({ test: known, damaged: known });

const add = (id: number, amount: number) => (tally: Tally | null) => ({
  id,
  sum: (tally?.sum ?? 0) + amount,
  events: (tally?.events ?? 0) + 1,
});

export interface TallyOptions {
  readonly name?: string;
  readonly version?: number;
  readonly breaks?: boolean;
  /** Amounts count this often, so that a later version tells itself apart. */
  readonly factor?: number;
}

export function tallyProjection({
  name = 'tallies',
  version = 1,
  breaks = false,
  factor = 1,
}: TallyOptions = {}): Projection<TallyEvent> {
  const into: ReadModel<Tally> = { ...tallies, name };
  return {
    name,
    version,
    models: [into.name],
    when: {
      Added: ({ data }) => [effect(into, data.tally, add(data.tally, factor * data.amount))],
      Moved: ({ data }) => [
        effect(into, data.from, add(data.from, -factor * data.amount)),
        effect(into, data.to, (tally, lookup) => {
          if (lookup(into, data.from) === null) throw new Error('Moved from nowhere');
          return add(data.to, factor * data.amount)(tally);
        }),
      ],
      Cleared: ({ data }) => [effect(into, data.tally, () => null)],
      Broken: ({ data }) => {
        if (breaks) throw new Error('cannot be read');
        return [effect(into, data.tally, (tally) => tally)];
      },
    },
  };
}

/** What the documents have to be: the events, one by one, into a map. */
export function naiveTallies(events: readonly TallyEvent[], factor = 1): readonly Tally[] {
  const state = new Map<number, Tally>();
  const into = (id: number, amount: number) => state.set(id, add(id, factor * amount)(state.get(id) ?? null));
  for (const { type, data } of events) {
    if (type === 'Added') into(data.tally, data.amount);
    if (type === 'Moved') into(data.from, -data.amount);
    if (type === 'Moved') into(data.to, data.amount);
    if (type === 'Cleared') state.delete(data.tally);
  }
  return [...state.values()].sort((a, b) => a.id - b.id);
}

interface Running {
  readonly runner: Runner;
  readonly notices: readonly Notice[];
  /** Resolves when a projection has stopped. */
  readonly stopped: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A log and read models in a directory, and runners over them. */
export interface World {
  readonly log: EventLog;
  readonly store: ReadModelStore;
  readonly models: SqliteReadModels;
  readonly append: (...events: readonly Event[]) => Promise<Position>;
  readonly start: (
    projections: readonly AnyProjection[],
    store?: ReadModelStore,
    types?: EventRegistry,
    isOwnLog?: () => Promise<boolean>,
  ) => Running;
  /** What readers see of a projection of `tallyProjection`. */
  readonly documents: (name?: string) => Promise<readonly Tally[]>;
  readonly close: () => Promise<void>;
}

type ClosableLog = EventLog & { readonly close: () => Promise<void> };

export interface FreshWorld extends World {
  /** Of its files, until it is closed. */
  readonly directory: string;
}

/** In a directory of its own. */
export async function freshWorld(given?: ClosableLog): Promise<FreshWorld> {
  const directory = await temporaryDirectory();
  const world = await openWorld(directory.path, given);
  const close = async (): Promise<void> => {
    await world.close();
    await directory.remove();
  };
  return { ...world, directory: directory.path, close };
}

/** On the embedded log, unless it is given another one, which it closes too. */
export async function openWorld(directory: string, given?: ClosableLog): Promise<World> {
  const log = given ?? (await sqliteEventLog(directory));
  const models = sqliteReadModels(directory);
  const store = sqliteReadModelStore(directory);
  const stream: StreamName = `test-${randomUUID()}`;
  const running = new Set<Running>();
  let revision = NO_STREAM;
  return {
    log,
    store,
    models,
    append: async (...events) => {
      const metadata = { actor: 1, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: randomUUID() };
      const appended = await log.append(
        stream,
        revision,
        events.map((event) => ({ ...event, id: randomUUID() })),
        metadata,
      );
      revision = appended.revision;
      return appended.position;
    },
    start: (projections, over = store, types = eventTypes, isOwnLog = () => Promise.resolve(true)) => {
      const enough = new AbortController();
      const notices: Notice[] = [];
      let hasStopped = (): void => undefined;
      const stopped = new Promise<void>((resolve) => {
        hasStopped = resolve;
      });
      const report = (notice: Notice): void => {
        notices.push(notice);
        if (notice.type === 'progress') models.notice(notice);
        if (notice.type === 'withdrawn') models.withdrawn(notice.projection, notice.models);
        if (notice.type === 'stopped') hasStopped();
      };
      const shared = sharedReader(log, projections, types);
      const ports = { log: shared, eventTypes: types, store: over, isOwnLog, report };
      const runner = runProjections({ projections, ...ports, signal: enough.signal });
      const one: Running = {
        runner,
        notices,
        stopped,
        stop: async () => {
          enough.abort();
          await runner.finished;
          running.delete(one);
        },
      };
      running.add(one);
      return one;
    },
    documents: async (name = 'tallies') => {
      const page = await models.find({ ...tallies, name }, { where: [], direction: 'asc', limit: 10_000, offset: 0 });
      return page.items;
    },
    close: async () => {
      for (const one of running) await one.stop();
      await models.close();
      store.close();
      await log.close();
    },
  };
}

/** What commands are told of the projections. */
export const told = (runner: Runner): readonly StoredStatus[] => runner.status().map(storedStatus);

export const added = (tally: number, amount: number): TallyEvent => ({ type: 'Added', data: { tally, amount } });
export const moved = (from: number, to: number, amount: number): TallyEvent => ({
  type: 'Moved',
  data: { from, to, amount },
});
export const cleared = (tally: number): TallyEvent => ({ type: 'Cleared', data: { tally } });
export const broken: TallyEvent = { type: 'Broken', data: { tally: 1 } };
export const unrelated: Event = { type: 'Unrelated', data: {} };
