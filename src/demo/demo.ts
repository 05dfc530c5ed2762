/** The built-in platform, for a service without a platform file. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artifactDecider, type ArtifactCommand } from '../artifacts/artifact.js';
import { artifactStream } from '../artifacts/artifact-events.js';
import { ARTIFACTS } from '../artifacts/artifact-view.js';
import { defaultsFor } from '../trackers/field-types/defaults.js';
import { type Config } from '../config/config.js';
import { messageOf } from '../core/concurrency/retry.js';
import { eventId } from '../core/event-id.js';
import { NO_STREAM, type EventReader } from '../core/event-log.js';
import { handle } from '../core/handle.js';
import { LAST_BUILT_IN_ID } from '../core/ids.js';
import { applyFile } from '../operations/apply-file.js';
import { type Operations } from '../operations/operations.js';
import { demoArtifacts, type DemoStep } from './demo-artifacts.js';
import { DEMO_PASSWORD, DEMO_PLATFORM } from './demo-platform.js';
import { type Service } from '../composition/service.js';

/** Kept beside the log for as long as it holds the demo, whose passwords are public. */
interface Marker {
  /** Of the artifacts, in the order of the demo's own numbers; empty before they are handed out. */
  readonly ids: readonly number[];
  readonly complete: boolean;
}

/** Where the demo is, the service is for this machine alone. */
export const LOOPBACK = '127.0.0.1';
/** Published on the front page, too. */
export const DEMO_SIGN_IN = { username: 'alice', password: DEMO_PASSWORD } as const;
const DAY_MS = 86_400_000;
const NEW: Marker = { ids: [], complete: false };
/** For a copy of the demo without the file: the demo is not filled a second time. */
const COPIED: Marker = { ids: [], complete: true };

const markerFile = ({ dataDir }: Config): string => join(dataDir, 'demo.json');
/** `nth` counts the steps of an artifact, whose number is the demo's own. */
const commandOf = (artifact: number, nth: number): string => `demo-${artifact}-${nth}`;

/** Whether the service holds the demo, or is still empty and was given no platform of its own. */
export async function isForDemo(config: Config, { log }: Service): Promise<boolean> {
  const isNew = config.platformFile === undefined && (await log.end()) === null;
  if (!existsSync(markerFile(config)) && !isNew && !(await isFilledWithDemo(log))) return false;
  if (config.nodeEnv !== 'production') return true;
  throw new Error(
    isNew
      ? 'In production the service needs a platform of its own: name its file in PLATFORM_FILE'
      : `In production the service does not open DATA_DIR ${config.dataDir}: it holds the demo, whose passwords are known`,
  );
}

/** Whether the first artifact of the log is the first one of the demo. Looks at its place alone: its data may be damaged. */
async function isFilledWithDemo(log: Pick<EventReader, 'places'>): Promise<boolean> {
  const stream = artifactStream(LAST_BUILT_IN_ID + 1);
  const [first] = await log.places(stream, NO_STREAM, 1);
  return first?.id === eventId(commandOf(1, 0), stream, 0);
}

/** Cut off anywhere, it goes on at the next start where it was. */
export async function fillDemo(
  config: Config,
  service: Service,
  commands: Operations,
  signal: AbortSignal,
): Promise<void> {
  const file = markerFile(config);
  const marker = await markerIn(file, service);
  if (!existsSync(file)) save(file, marker);
  if (marker.complete) return;
  const { parsePlatformFile } = await import('../platform-file/format/platform-file.js');
  await applyFile(parsePlatformFile(DEMO_PLATFORM), commands);

  const steps = demoArtifacts(service.definitions);
  const ids = marker.ids.length > 0 ? marker.ids : await newIds(steps, service);
  save(file, { ids, complete: false });
  const taken = new Map<number, number>();
  for (const step of steps) {
    signal.throwIfAborted();
    const nth = taken.get(step.artifact) ?? 0;
    await take(step, nth, ids, service);
    taken.set(step.artifact, nth + 1);
  }
  const end = await service.log.end();
  if (end !== null) await service.readModels.caughtUp(ARTIFACTS, end, 30_000);
  save(file, { ids, complete: true });
}

async function markerIn(file: string, { log }: Service): Promise<Marker> {
  if (!existsSync(file)) return (await isFilledWithDemo(log)) ? COPIED : NEW;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Marker;
  } catch (cause) {
    // Without the file, what holds the users of the demo, but no artifact yet, would not count as the demo.
    const remedy = 'restore the file from a back-up; or, for a new demo, use an empty directory';
    throw new Error(`${file} cannot be read: ${messageOf(cause)}; ${remedy}`, { cause });
  }
}

function newIds(steps: readonly DemoStep[], service: Service): Promise<readonly number[]> {
  const count = Math.max(0, ...steps.map(({ artifact }) => artifact));
  return Promise.all(Array.from({ length: count }, () => service.idsOf('artifact').next()));
}

/** The artifact's nth step, unless it has been taken at an earlier start. */
async function take(step: DemoStep, nth: number, ids: readonly number[], service: Service): Promise<void> {
  const { log, clock, definitions } = service;
  const artifactId = ids[step.artifact - 1] ?? 0;
  const stream = artifactStream(artifactId);
  const commandId = commandOf(step.artifact, nth);
  const { events } = await log.read(stream);
  if (events.some(({ metadata }) => metadata.commandId === commandId)) return;
  const tracker = definitions.tracker(step.trackerId);
  if (tracker === undefined) throw new Error(`The demo's tracker ${step.trackerId} is not there`);

  const links = step.links?.to.map(({ artifact, type }) => ({ id: ids[artifact - 1] ?? 0, type }));
  const values = { ...step.values, ...(step.links && { [String(step.links.field)]: links ?? [] }) };
  await handle(log, artifactDecider, {
    stream,
    commandId,
    metadata: { actor: step.author, at: new Date(clock().getTime() - step.daysAgo * DAY_MS).toISOString() },
    command: (): ArtifactCommand =>
      nth === 0
        ? { type: 'SubmitArtifact', artifactId, tracker, values: { ...defaultsFor(tracker), ...values } }
        : { type: 'ChangeArtifactValues', tracker, values, ...(step.comment && { comment: step.comment }) },
    definition: () => tracker.view.revision,
  });
}

/** Whole or not at all. */
function save(file: string, marker: Marker): void {
  writeFileSync(`${file}.new`, JSON.stringify(marker), { flush: true });
  renameSync(`${file}.new`, file);
}

/** Printed after `npm start`. */
export function demoGreeting(port: number): string {
  const url = `http://${LOOPBACK}:${port}/api`;
  return `
This is the demo platform, on this machine only. Users: alice (site administrator), bob, carol, dave.
Everybody's password: ${DEMO_PASSWORD}

  curl -s -H 'Content-Type: application/json' -d '{"username":"alice","password":"${DEMO_PASSWORD}"}' ${url}/tokens
  curl -s ${url}/projects

For a platform of your own: DATA_DIR=./platform PLATFORM_FILE=platform.yaml npm start (see docs/platform-file.md).

`;
}
