/** The built-in platform, for whoever starts the service without one of their own. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artifactDecider, type ArtifactCommand } from './artifacts/artifact.js';
import { artifactStream } from './artifacts/artifact-events.js';
import { ARTIFACTS } from './artifacts/artifact-view.js';
import { defaultsFor } from './artifacts/fields/values.js';
import { type Config } from './config.js';
import { handle } from './core/handle.js';
import { operations } from './operations.js';
import { demoArtifacts, type DemoStep } from './platform/demo-artifacts.js';
import { DEMO_PASSWORD, DEMO_PLATFORM } from './platform/demo-platform.js';
import { type Service } from './service.js';
import { type Passwords } from './users/password.js';

/** Kept beside the log for as long as it holds the demo, whose passwords everybody knows. */
interface Marker {
  /** Of the artifacts, in the order of the demo's own numbers; empty before they are handed out. */
  readonly ids: readonly number[];
  readonly complete: boolean;
}

const LOOPBACK = '127.0.0.1';
const DAY_MS = 86_400_000;

const markerFile = ({ dataDir }: Config): string => join(dataDir, 'demo.json');

export const holdsDemo = (config: Config): boolean => existsSync(markerFile(config));

/** Fills an empty service. Where the demo is, the service is for this machine alone: the answer says so by its host. */
export async function prepareDemo(
  config: Config,
  service: Service,
  passwords: Passwords,
  caughtUp: Promise<void>,
): Promise<Config> {
  const file = markerFile(config);
  const known = holdsDemo(config) ? (JSON.parse(readFileSync(file, 'utf8')) as Marker) : undefined;
  if (known === undefined && (await service.log.end()) !== null) return config;
  if (config.nodeEnv === 'production') {
    throw new Error('In production the service needs a platform of its own: name its file in PLATFORM_FILE');
  }
  if (known?.complete !== true) {
    await caughtUp;
    await fill(file, known ?? { ids: [], complete: false }, service, passwords);
  }
  return { ...config, host: LOOPBACK };
}

/** Cut off anywhere, it goes on at the next start where it was. */
async function fill(file: string, marker: Marker, service: Service, passwords: Passwords): Promise<void> {
  save(file, marker);
  const input = { text: DEMO_PLATFORM, prune: false, env: {} };
  await operations(service, passwords)['apply']?.(input, () => undefined);

  const steps = demoArtifacts(service.directory);
  const ids = marker.ids.length > 0 ? marker.ids : await newIds(steps, service);
  save(file, { ids, complete: false });
  const taken = new Map<number, number>();
  for (const step of steps) {
    const revision = taken.get(step.artifact) ?? 0;
    if (await take(step, revision, ids, service)) taken.set(step.artifact, revision + 1);
  }
  const end = await service.log.end();
  if (end !== null) await service.readModels.caughtUp(ARTIFACTS, end, 30_000);
  save(file, { ids, complete: true });
}

function newIds(steps: readonly DemoStep[], service: Service): Promise<readonly number[]> {
  const count = Math.max(0, ...steps.map(({ artifact }) => artifact));
  return Promise.all(Array.from({ length: count }, () => service.idsOf('artifact').next()));
}

/** Whether the step has its event, which it may have from an earlier start. */
async function take(step: DemoStep, revision: number, ids: readonly number[], service: Service): Promise<boolean> {
  const { log, clock, directory } = service;
  const artifactId = ids[step.artifact - 1] ?? 0;
  const stream = artifactStream(artifactId);
  if ((await log.read(stream)).revision >= revision) return true;
  const tracker = directory.tracker(step.trackerId);
  if (tracker === undefined) throw new Error(`The demo's tracker ${step.trackerId} is not there`);

  const links = step.links?.to.map(({ artifact, type }) => ({ id: ids[artifact - 1] ?? 0, type }));
  const values = { ...step.values, ...(step.links && { [String(step.links.field)]: links ?? [] }) };
  const { position } = await handle(log, artifactDecider, {
    stream,
    commandId: `demo-${step.artifact}-${revision}`,
    metadata: { actor: step.author, at: new Date(clock().getTime() - step.daysAgo * DAY_MS).toISOString() },
    command: (): ArtifactCommand =>
      revision === 0
        ? { type: 'SubmitArtifact', artifactId, tracker, values: { ...defaultsFor(tracker), ...values } }
        : { type: 'ChangeArtifactValues', tracker, values, ...(step.comment && { comment: step.comment }) },
    definition: () => tracker.view.revision,
  });
  return position !== null;
}

/** Whole or not at all. */
function save(file: string, marker: Marker): void {
  writeFileSync(`${file}.new`, JSON.stringify(marker), { flush: true });
  renameSync(`${file}.new`, file);
}

/** For whoever has just typed `npm start`. */
export function demoGreeting(port: number): string {
  const url = `http://${LOOPBACK}:${port}/api`;
  return `
This is the demo platform, on this machine only. Users: alice (site administrator), bob, carol, dave.
Everybody's password: ${DEMO_PASSWORD}

  curl -s -H 'Content-Type: application/json' -d '{"username":"alice","password":"${DEMO_PASSWORD}"}' ${url}/tokens
  curl -s ${url}/projects

For a platform of your own: PLATFORM_FILE=platform.yaml npm start (see README.md).

`;
}
