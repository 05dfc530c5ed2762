/** The service on EventStoreDB and MongoDB: stand-ins of them, or servers that are given. `--kind` names some parts. */
import { gets, times } from '../servers/gets.js';
import { installed, type Installation } from '../servers/installation.js';
import { posts, postsOfOneProcess } from '../servers/posts.js';
import { processes } from '../servers/processes.js';
import { type Measured } from '../table.js';
import { started, STARTS, startsMeasured, type Started } from './process.js';
import { type Row } from './row.js';

interface Part {
  readonly name: string;
  readonly measure: (installation: Installation) => Promise<readonly Measured[]>;
}

/** Those that write come last: stand-ins look through all artifacts for a page. */
const PARTS: readonly Part[] = [
  { name: 'processes', measure: processes },
  { name: 'get', measure: gets },
  { name: 'time', measure: times },
  { name: 'start', measure: starts },
  { name: 'post', measure: posts },
  { name: 'together', measure: postsOfOneProcess },
];

export const servers: Row = {
  name: 'servers',
  onRequest: true,
  ownPlatform: true,
  async measure(stage) {
    const { kind } = stage.options;
    const installation = await installed(stage);
    const measured: Measured[] = [];
    for (const { name, measure } of PARTS) {
      const isWanted = kind.length === 0 || kind.some((prefix) => name.startsWith(prefix));
      if (isWanted) measured.push(...(await measure(installation)));
    }
    await installation.stop();
    return measured;
  },
};

async function starts(installation: Installation): Promise<readonly Measured[]> {
  const { stage, env } = installation;
  const own = installation.directory();
  const all: Started[] = [];
  for (let nth = 0; nth < STARTS; nth += 1) all.push(await started(stage.options, own, env));
  return startsMeasured(`${stage.seeded.events} events on servers`, 1000, all);
}
