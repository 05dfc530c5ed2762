/** What the service holds for clients that ask for large pages and do not read them, with uploads beside them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { memory, runJob, startJob } from '../children.js';
import { sent, silentClient, upload } from '../clients.js';
import { type Seeded } from '../jobs/seed.js';
import { type Wait } from '../jobs/watch.js';
import { startService, type RunningService } from '../stage.js';
import { fixed, whole } from '../table.js';
import { type Row } from './row.js';

const CLIENTS = 10;
const UPLOADS = 4;
const ARTIFACTS = 100;
/** Of a value. As JSON and as HTML it takes several times as many. */
const CHARACTERS = 65_535;
const FIELDS = ['title', 'description', 'notes', 'environment', 'release'];
const SECONDS = 15;
const LOOK_MS = 50;

export const unread: Row = {
  name: 'unread',
  ownPlatform: true,
  async measure({ directory: base, options }) {
    const directory = join(mkdtempSync(`${base}-`), 'data');
    const { tracker } = await runJob<Seeded>('seed', { directory, artifacts: 1 });
    const filling = await startService(options.dist, directory);
    await fill(filling, tracker);
    await filling.stop();
    const service = await startService(options.dist, directory, { prof: options.prof });
    const path = `/api/trackers/${tracker}/artifacts?values=all&limit=${ARTIFACTS}&order=desc`;
    const before = memory(service.pid, 'VmRSS');
    const watching = startJob<readonly Wait[]>('watch', { url: `${service.url}/health/live` });
    await watching.said;
    const clients = Array.from({ length: CLIENTS }, () => silentClient(service, path));
    const until = performance.now() + SECONDS * 1000;
    const [most, page, ...uploaded] = await Promise.all([
      mostMemory(service.pid, until),
      readPage(service, path),
      ...Array.from({ length: UPLOADS }, (_, n) => upload(service, n, until)),
    ]);
    for (const client of clients) client.destroy();
    await service.stop();
    const longest = Math.max(...(await watching.result).map(([, ms]) => ms));
    await watching.stop();
    rmSync(directory, { recursive: true });
    return [
      {
        what: `${CLIENTS} clients`,
        ratio: `${whole(most)} MiB`,
        goal: '≤ 512 MiB',
        figures: `${whole(before)} MiB before; ${whole(sum(uploaded))} MiB came up; a page of ${fixed(page.bytes / 1e6, 0)} MB with ${page.items} artifacts was read in ${fixed(page.seconds, 1)} s; others waited ${whole(longest)} ms at most`,
      },
    ];
  },
};

async function fill({ url, headers }: RunningService, tracker: number): Promise<void> {
  const described = await fetch(`${url}/api/trackers/${tracker}`, { headers });
  const { fields } = (await described.json()) as { fields: readonly { field_id: number; name: string }[] };
  const values = fields
    .filter(({ name }) => FIELDS.includes(name))
    .map(({ field_id, name }) => {
      const content = '"'.repeat(CHARACTERS);
      const isText = name === 'description' || name === 'notes';
      return { field_id, value: isText ? { content, format: 'text' } : content };
    });
  const body = JSON.stringify({ tracker: { id: tracker }, values });
  for (let n = 0; n < ARTIFACTS; n += 1) await sent(`${url}/api/artifacts`, 'POST', headers, body);
}

async function mostMemory(pid: number, until: number): Promise<number> {
  let most = 0;
  while (performance.now() < until) {
    most = Math.max(most, memory(pid, 'VmRSS'));
    await setTimeout(LOOK_MS);
  }
  return most;
}

async function readPage({ url, headers }: RunningService, path: string) {
  const began = performance.now();
  const answer = await fetch(`${url}${path}`, { headers });
  const text = await answer.text();
  const seconds = (performance.now() - began) / 1000;
  return { bytes: Buffer.byteLength(text), items: (JSON.parse(text) as readonly unknown[]).length, seconds };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
