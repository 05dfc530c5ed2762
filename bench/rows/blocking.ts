/** How long one client has to wait because of what another one sends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Kind } from '../blocking/kind.js';
import { kinds } from '../blocking/kinds.js';
import { type Scene } from '../blocking/scene.js';
import { send } from '../blocking/send.js';
import { runJob, servingMs, startJob } from '../children.js';
import { type Wait } from '../jobs/watch.js';
import { signedIn, startService, type RunningService, type Stage } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, whole, type Measured } from '../table.js';
import { type Row } from './row.js';

const GOAL_MS = 50;
/** What a request leaves to be done later may block, too. */
const AFTERWARDS_MS = 100;

interface Sent {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
  /** Milliseconds. */
  readonly took: number;
  /** For which the thread that serves has run, for the other client, too. */
  readonly served: number;
  readonly status: string;
}

export const blocking: Row = {
  name: 'blocking',
  ownPlatform: true,
  async measure(stage) {
    const directory = join(mkdtempSync(`${stage.directory}-`), 'bounds');
    const scene = await runJob<Scene>('seed-bounds', { directory });
    const service = await startService(stage.options.dist, directory, { prof: stage.options.prof });
    const watching = startJob<readonly Wait[]>('watch', { url: `${service.url}/health/live` });
    await watching.said;
    const sent = await sendAll(service, scene, stage);
    await service.stop();
    const waits = await watching.result;
    await watching.stop();
    rmSync(directory, { recursive: true });
    return wanted(stage).map((kind) => described(kind, sent, waits));
  },
};

/** `--kind` names the beginnings of some. */
const wanted = ({ options }: Stage): readonly Kind[] =>
  kinds.filter(({ name }) => options.kind.length === 0 || options.kind.some((prefix) => name.startsWith(prefix)));

async function sendAll({ url, pid }: RunningService, scene: Scene, stage: Stage): Promise<readonly Sent[]> {
  const agent = new Agent({ keepAlive: false });
  const sent: Sent[] = [];
  for (const kind of wanted(stage)) {
    for (let nth = 0; nth < stage.options.rounds; nth += 1) {
      const credentials = kind.as === undefined ? {} : await signedIn(url, kind.as);
      const { path, isBare, ...asked } = kind.request(scene, nth, credentials);
      const headers = { ...credentials, ...asked.headers };
      await setTimeout(AFTERWARDS_MS);
      const [from, served] = [now(), servingMs(pid)];
      const status = await send(`${url}${isBare === true ? '' : '/api'}${path}`, { ...asked, headers }, agent);
      const took = now() - from;
      await setTimeout(AFTERWARDS_MS);
      sent.push({ kind, from, to: now(), took, served: servingMs(pid) - served, status });
    }
  }
  return sent;
}

const now = (): number => performance.timeOrigin + performance.now();

function described({ name }: Kind, sent: readonly Sent[], waits: readonly Wait[]): Measured {
  const own = sent.filter(({ kind }) => kind.name === name);
  const longest = own.map(({ from, to }) => longestWithin(waits, from, to));
  const ms = (of: (one: Sent) => number): string => `${whole(median(own.map(of)))} ms`;
  const statuses = [...new Set(own.map(({ status }) => status))].join(', ');
  return {
    what: name,
    ratio: `${fixed(median(longest), 0)} ms`,
    goal: `≤ ${GOAL_MS} ms`,
    figures: `${whole(Math.max(...longest))} ms at most; answered ${statuses} after ${ms(({ took }) => took)}, thread ${ms(({ served }) => served)}`,
  };
}

function longestWithin(waits: readonly Wait[], from: number, to: number): number {
  return waits.reduce((longest, [at, ms]) => (at < to && at + ms > from ? Math.max(longest, ms) : longest), 0);
}
