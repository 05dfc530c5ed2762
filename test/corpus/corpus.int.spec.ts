import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { all } from '../../projections/all.js';
import { sharedReader } from '../../projections/workers/shared-reader.js';
import { runProjections } from '../../projections/engine/projection-runner.js';
import { storedStatus } from '../../projections/engine/projection-status.js';
import { archivingDecider } from '../../src/artifacts/archive/archiving-decider.js';
import { requestDecider } from '../../src/artifacts/idempotency/accepted-request.js';
import { artifactDecider } from '../../src/artifacts/artifact.js';
import { artifactViews } from '../../src/artifacts/artifact-view.js';
import { linkSettlementDecider } from '../../src/artifacts/links/link-settlement.js';
import { openValuesDecider } from '../../src/artifacts/open-values.js';
import { categories, eventTypes } from '../../projections/event-types.js';
import { type Recorded, type StreamName } from '../../src/core/event-log.js';
import { nameDecider } from '../../src/core/name-reservation.js';
import { understoodLog } from '../../src/core/logs/understood-log.js';
import { deletionDecider } from '../../src/artifacts/deletions/deletion-count.js';
import { fileDecider } from '../../src/files/file.js';
import { projectDecider } from '../../src/projects/project.js';
import { platformDecider } from '../../src/platform/platform.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { sqliteReadModelStore } from '../../src/stores/sqlite/read-models/writer.js';
import { sqliteReadModels } from '../../src/stores/sqlite/read-models/reader.js';
import { svnDecider } from '../../src/svn/repository.js';
import { trackerDecider } from '../../src/trackers/tracker.js';
import { userDecider } from '../../src/users/user.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';
import { corpus } from './corpus.js';

interface Folding {
  readonly initialState: unknown;
  evolve(state: never, event: never): unknown;
}

/** `ids` has no decider: its last event says what is next. */
const DECIDERS: Readonly<Record<Exclude<keyof typeof categories, 'ids'>, readonly Folding[]>> = {
  artifact: [artifactDecider, archivingDecider],
  deletions: [deletionDecider],
  file: [fileDecider],
  linkorder: [linkSettlementDecider],
  name: [nameDecider()],
  openvalues: [openValuesDecider],
  platform: [platformDecider],
  project: [projectDecider],
  request: [requestDecider],
  svn: [svnDecider],
  tracker: [trackerDecider],
  user: [userDecider],
};

/** By stream, for each decider: what each event of the corpus changes in the state. */
const STATES = new URL('states.json', import.meta.url);
const kept = JSON.parse(readFileSync(STATES, 'utf8')) as Readonly<Record<StreamName, unknown>>;
const isToBeWritten = process.env['CORPUS_STATES'] === 'write';
const HOW_TO_KEEP = 'as test/corpus/states.json has it; CORPUS_STATES=write keeps what is there now';

describe('the corpus of stored events', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;
  const folded = new Map<StreamName, unknown>();

  before(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
    const revisions = new Map<StreamName, number>();
    for (const { stream, type, schema, data } of [...corpus.values()].flat()) {
      const metadata = { actor: 101, at: '2026-03-01T12:00:00.000Z', schema, commandId: randomUUID() };
      const expected = revisions.get(stream) ?? -1;
      const { revision } = await log.append(stream, expected, [{ id: randomUUID(), type, data }], metadata);
      revisions.set(stream, revision);
    }
  });
  after(async () => {
    if (isToBeWritten) writeFileSync(STATES, JSON.stringify(Object.fromEntries(folded), null, 2));
    await log.close();
    await directory.remove();
  });

  for (const [category, types] of Object.entries(categories)) {
    it(`holds each schema of each type of event of ${category}`, () => {
      const held = new Set((corpus.get(category) ?? []).map(({ type, schema }) => `${type} ${schema}`));
      const known = Object.entries<readonly unknown[]>(types).flatMap(([type, upcasts]) =>
        Array.from({ length: upcasts.length + 1 }, (_, index) => `${type} ${index + 1}`),
      );
      expect([...held].sort()).to.deep.equal(known.sort());
    });
  }

  for (const [category, deciders] of Object.entries(DECIDERS)) {
    it(`of ${category} is understood, and each event changes a state as it did before`, async () => {
      const understood = understoodLog(log, eventTypes);
      for (const stream of new Set(corpus.get(category)?.map((event) => event.stream))) {
        const { events } = await understood.read(stream);
        const changes = deciders.map((decider) => changesOf(decider, events));
        folded.set(stream, changes);
        if (!isToBeWritten) expect(changes, `${stream}, ${HOW_TO_KEEP}`).to.deep.equal(kept[stream]);
      }
    });
  }

  it('is applied by every projection from the first event to the last', async () => {
    const store = sqliteReadModelStore(directory.path);
    const models = sqliteReadModels(directory.path);
    const enough = new AbortController();
    const runner = runProjections({
      projections: all,
      log: sharedReader(log, all, eventTypes),
      eventTypes,
      store,
      isOwnLog: () => Promise.resolve(true),
      report: (notice) => {
        if (notice.type === 'progress') models.notice(notice);
      },
      signal: enough.signal,
    });
    await runner.ready;
    for (const status of runner.status().map(storedStatus)) {
      expect(status, status.projection).to.deep.include({ state: 'live', reason: null, trouble: null, marks: [] });
    }
    const artifacts = await models.getMany(artifactViews, [101, 102, 103, 104]);
    expect(artifacts.map(({ id, atid, revision }) => [id, atid, revision])).to.deep.equal([[101, 1, 2]]);
    enough.abort();
    await runner.finished;
    await models.close();
    store.close();
  });
});

function changesOf(decider: Folding, events: readonly Recorded[]): readonly object[] {
  let state = decider.initialState;
  return events.map((event) => {
    const before = state;
    state = decider.evolve(before as never, event as never);
    expect(state, event.type).not.to.equal(undefined);
    return { [event.type]: changed(plain(before), plain(state)) };
  });
}

/** As JSON, which knows neither maps nor sets. */
function plain(state: unknown): unknown {
  const json = JSON.stringify(state, (_, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...(value as Iterable<unknown>)] : value,
  );
  return JSON.parse(json) as unknown;
}

/** The members that differ; of what has no members, all of it. */
function changed(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differ = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differ.map((name) => [name, after[name] ?? null]));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
