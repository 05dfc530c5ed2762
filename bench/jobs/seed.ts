/** Fills a data directory: the platform by its own command, the artifacts straight into the log. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { idsStream } from '../../src/core/ids.js';
import { applyFile } from '../../src/operations/apply-file.js';
import { operations } from '../../src/operations/operations.js';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';
import { openService, type Service } from '../../src/composition/service.js';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { removeReadModels } from '../../src/stores/sqlite/read-models/directories.js';
import { passwords } from '../../src/authentication/password.js';
import { platformText, trackerName } from '../platform.js';
import { RARE_EVERY } from '../words.js';
import { submissions, type Submission } from './events.js';

export interface SeedInput {
  readonly directory: string;
  readonly artifacts: number;
}

/** What the rows have to know of the platform. */
export interface Seeded {
  readonly tracker: number;
  /** To which no writer of a row writes. */
  readonly quietTracker: number;
  readonly fields: Readonly<Record<string, number>>;
  readonly statuses: readonly number[];
  readonly severities: readonly number[];
  readonly inTracker: number;
  readonly events: number;
  readonly rareIds: readonly number[];
}

const AT_ONCE = 4096;
const LAST_BUILT_IN_ID = 100;

export async function seed({ directory, artifacts }: SeedInput): Promise<Seeded> {
  const onFailed = (error: Error): never => {
    throw error;
  };
  const logger = pino({ level: 'silent' });
  const clock = (): Date => new Date();
  const service = await openService({ dataDir: directory, clock, logger, onFailed });
  await service.projections.ready;
  await applyFile(parsePlatformFile(platformText()), operations(service, passwords()));
  const make = submissions(service.definitions);
  const known = namesIn(service);
  await service.close();

  const log = await sqliteEventLog(directory);
  const ids = { kind: 'artifact', from: LAST_BUILT_IN_ID + 1, to: LAST_BUILT_IN_ID + artifacts };
  const metadata = { actor: null, at: clock().toISOString(), schema: 1, commandId: 'seed' };
  await log.append(idsStream('artifact'), -1, [{ type: 'IdsReserved', data: ids, id: randomUUID() }], metadata);
  const submit = ({ stream, event, metadata: facts }: Submission) =>
    log.append(stream, -1, [{ ...event, id: randomUUID() }], facts);
  let inTracker = 0;
  const rareIds: number[] = [];
  for (let from = ids.from; from <= ids.to; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, ids.to - from + 1);
    const made = Array.from({ length: count }, (_, index) => make(from + index));
    await Promise.all(made.map(submit));
    const first = made.filter(({ event }) => event.data.trackerId === known.tracker);
    inTracker += first.length;
    rareIds.push(...first.map(({ event }) => event.data.artifactId).filter((id) => id % RARE_EVERY === 0));
  }
  await log.close();
  // The service fills its read models anew from the log, which is a figure of its own.
  removeReadModels(directory);
  return { ...known, inTracker, rareIds, events: artifacts };
}

function namesIn({
  definitions,
}: Service): Pick<Seeded, 'tracker' | 'quietTracker' | 'fields' | 'statuses' | 'severities'> {
  const trackers = definitions.projects().flatMap(({ id }) => definitions.trackersOf(id));
  const [tracker, quiet] = [0, 1].map((nth) => trackers.find(({ view }) => view.itemName === trackerName(nth))!);
  const valuesOf = (name: string): readonly number[] => tracker!.fieldNamed(name)!.values!.map(({ id }) => id);
  return {
    tracker: tracker!.id,
    quietTracker: quiet!.id,
    fields: Object.fromEntries(tracker!.fields.map(({ name, id }) => [name, id])),
    statuses: valuesOf('status'),
    severities: valuesOf('severity'),
  };
}
