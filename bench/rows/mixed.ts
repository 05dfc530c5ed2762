/** Whether memory stays as it is while ordinary clients work beside some that send the worst requests, and some that do not read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { kinds } from '../blocking/kinds.js';
import { type Scene } from '../blocking/scene.js';
import { send } from '../blocking/send.js';
import { memory, runJob } from '../children.js';
import { sent, silentClient, upload } from '../clients.js';
import { READER } from '../platform.js';
import { signedIn, startService, type RunningService } from '../stage.js';
import { median, quantile } from '../statistics.js';
import { fixed, whole } from '../table.js';
import { type Row } from './row.js';

const WORST = 2;
const ORDINARY = 4;
const SILENT = 2;
/** Between two requests of one ordinary client. */
const PAUSE_MS = 50;
/** Longer than the service waits for a client that does not read. */
const SILENT_MS = 90_000;
const LOOK_MS = 1000;
/** What came up is added up so often. */
const UPLOADS_MS = 10_000;
/** Parts of the time, whose memory is compared. */
const PARTS = 6;

/** `--seconds` is the whole time. */
export const mixed: Row = {
  name: 'mixed',
  ownPlatform: true,
  async measure({ directory: base, options }) {
    const directory = join(mkdtempSync(`${base}-`), 'bounds');
    const scene = await runJob<Scene>('seed-bounds', { directory });
    const service = await startService(options.dist, directory, { prof: options.prof });
    const headers = await signedIn(service.url, READER);
    const running = { ...service, headers };
    const until = performance.now() + options.seconds * 1000;
    const results: Results = { worst: [], ordinary: [], failures: new Map() };
    const [held, files] = await Promise.all([
      memoryUntil(service.pid, until),
      uploadUntil(running, until, results),
      ...repeated(WORST, (nth) => sendWorst(running, scene, nth, until, results)),
      ...repeated(ORDINARY, () => workOrdinarily(running, scene, until, results)),
      ...repeated(SILENT, () => neverRead(running, scene, until)),
    ]);
    const ready = await fetch(`${service.url}/health/ready`);
    await service.stop();
    rmSync(directory, { recursive: true });
    return [described(held, files, results, ready.status)];
  },
};

interface Results {
  /** Milliseconds that each request took. */
  readonly worst: number[];
  readonly ordinary: number[];
  /** How often what was answered with 500 or more, or not at all. */
  readonly failures: Map<string, number>;
}

const repeated = <T>(count: number, make: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => make(nth));

/** RSS in MiB, looked at again and again. */
async function memoryUntil(pid: number, until: number): Promise<readonly number[]> {
  const held: number[] = [];
  while (performance.now() < until) {
    held.push(memory(pid, 'VmRSS'));
    await setTimeout(LOOK_MS);
  }
  return held;
}

/** All kinds in turn, each client from another one on. */
async function sendWorst(
  { url }: RunningService,
  scene: Scene,
  client: number,
  until: number,
  { worst, failures }: Results,
): Promise<void> {
  const agent = new Agent({ keepAlive: false });
  for (let nth = Math.floor((client * kinds.length) / WORST); performance.now() < until; nth += 1) {
    const kind = kinds[nth % kinds.length]!;
    const credentials = kind.as === undefined ? {} : await signedIn(url, kind.as);
    const { path, ...asked } = kind.request(scene, client + WORST * Math.floor(nth / kinds.length), credentials);
    const began = performance.now();
    const status = await send(`${url}/api${path}`, { ...asked, headers: { ...credentials, ...asked.headers } }, agent);
    worst.push(performance.now() - began);
    if (!/^[234]\d\d$/.test(status)) count(failures, `${kind.name}: ${status}`);
  }
}

/** Writes an artifact, reads it, changes it under a precondition, and reads a page. */
async function workOrdinarily(
  { url, headers }: RunningService,
  { trackers, fields }: Scene,
  until: number,
  { ordinary, failures }: Results,
): Promise<void> {
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    const began = performance.now();
    try {
      return await work();
    } catch (error) {
      count(failures, `${what}: ${error instanceof Error ? error.message.slice(-100) : String(error)}`);
      return undefined;
    } finally {
      ordinary.push(performance.now() - began);
      await setTimeout(PAUSE_MS);
    }
  };
  const values = (value: string) => [{ field_id: fields['selections.title'], value }];
  for (let nth = 0; performance.now() < until; nth += 1) {
    const body = JSON.stringify({ tracker: { id: trackers.selections }, values: values(`title ${nth}`) });
    const made = await timed('POST', () => sent(`${url}/api/artifacts`, 'POST', headers, body));
    const one = `${url}/api/artifacts/${(made as { id?: number } | undefined)?.id ?? 0}`;
    const read = await timed('GET', () => fetch(one, { headers }).then(whileRead));
    const known = { ...headers, 'If-Match': read?.headers.get('etag') ?? '*' };
    await timed('PUT', () => sent(one, 'PUT', known, JSON.stringify({ values: values(`changed ${nth}`) })));
    const page = `${url}/api/trackers/${trackers.selections}/artifacts?limit=50&order=desc`;
    await timed('page', () => sent(page, 'GET', headers));
  }
}

/** In MiB: what came up. */
async function uploadUntil(service: RunningService, until: number, { failures }: Results): Promise<number> {
  let files = 0;
  while (performance.now() < until) {
    const some = Math.min(until, performance.now() + UPLOADS_MS);
    files += await upload(service, 0, some).catch((error: unknown) => {
      count(failures, `upload: ${String(error)}`);
      return 0;
    });
  }
  return files;
}

async function whileRead(answer: Response): Promise<Response> {
  await answer.arrayBuffer();
  return answer;
}

/** Asks for a large page again and again. */
async function neverRead(service: RunningService, { trackers }: Scene, until: number): Promise<void> {
  const path = `/api/trackers/${trackers.texts}/artifacts?values=all&limit=100`;
  while (performance.now() < until) {
    const socket = silentClient(service, path);
    await setTimeout(Math.min(SILENT_MS, until - performance.now()));
    socket.destroy();
  }
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function described(held: readonly number[], files: number, { worst, ordinary, failures }: Results, ready: number) {
  const length = Math.ceil(held.length / PARTS);
  const parts = repeated(PARTS, (nth) => median(held.slice(nth * length, (nth + 1) * length)));
  const failed = [...failures].map(([what, times]) => `${times} × ${what}`).join('; ');
  return {
    what: `memory over ${whole(held.length)} s`,
    ratio: fixed(parts.at(-1)! / parts[1]!),
    goal: '≤ 1.1',
    figures: [
      `${parts.map(whole).join(', ')} MiB in each sixth, ${whole(Math.max(...held))} MiB at most`,
      `${whole(worst.length)} of the worst requests, ${whole(ordinary.length)} ordinary ones, half within ${fixed(median(ordinary), 0)} ms, 99 of 100 within ${fixed(quantile(ordinary, 0.99), 0)} ms`,
      `${whole(files)} MiB came up; ready ${ready} at the end`,
      failed === '' ? 'none failed' : `failed: ${failed}`,
    ].join('; '),
  };
}
