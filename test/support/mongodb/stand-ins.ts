/**
 * MongoDB stand-ins: servers of the same wire protocol that a build machine can have without a MongoDB. Two, written
 * apart from each other, because each lacks something. What runs on both needs little of a MongoDB.
 *
 * FerretDB 1.24 over SQLite, on disk. By itself it finds what to change, and then changes it: two at once both succeed
 * where only one should. Its program here lets one write in at a time.
 * - no transactions, change streams, $facet, $lookup, $text, update pipelines, array filters or positional updates;
 *   collation is an error; partial, sparse and TTL indexes are refused;
 * - announces sessions, and does not have them; ignores hints and the order of updates in a bulk;
 * - breaks off the connection that asks for several indexes at once when they are there;
 * - finds only a text or an ObjectId as `_id` through an index. All else reads the whole collection: keep them small.
 *
 * mongo-java-server 1.47, in memory: a stop loses everything.
 * - no transactions, sessions, $text, update pipelines or explain;
 * - an ordered bulk of updates does not stop at its first error; ignores collation, hints, and what partial and TTL
 *   indexes say;
 * - duplicate keys come without the name and the value of the key; the command `hello` only goes by `isMaster`.
 *
 * Neither is more than one server: no elections, and every write concern is met by one copy.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { withOptions } from './options.js';

export type StandInName = 'ferretdb' | 'mongo-java-server';

export interface StandIn {
  readonly name: StandInName;
  /** Names no database, and has options, as an operator's may. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when it has ended, and its data are gone. */
  stop(): Promise<void>;
}

interface Kind {
  /** What names the place of its program. */
  readonly variable: string;
  /** Where the program is when the variable is not set. */
  readonly built: string;
  /** The driver repeats a write by itself on one of them, and not on the other. */
  readonly options: string;
  readonly command: (program: string, directory: string, pages: number | undefined) => readonly [string, ...string[]];
}

const KINDS: Readonly<Record<StandInName, Kind>> = {
  ferretdb: {
    variable: 'FERRETDB',
    built: '.ci/cache/ferretdb',
    options: 'appName=specs&retryWrites=false',
    command: (program, directory, pages) => [
      program,
      directory,
      '127.0.0.1:0',
      ...(pages === undefined ? [] : [`${pages}`]),
    ],
  },
  'mongo-java-server': {
    variable: 'MONGO_JAVA_SERVER',
    built: '.ci/cache/mongo-java-server.jar',
    options: 'appName=specs&retryWrites=true',
    command: (program) => ['java', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-jar', program],
  },
};

export const STAND_INS: readonly StandInName[] = ['ferretdb', 'mongo-java-server'];

/** Why it cannot be started; null when it can. */
export function whyNoStandIn(name: StandInName): string | null {
  const program = programOf(name);
  return existsSync(program) ? null : `there is no ${program}, and ${KINDS[name].variable} names no other`;
}

function programOf(name: StandInName): string {
  const { variable, built } = KINDS[name];
  return process.env[variable] ?? fileURLToPath(new URL(`../../../${built}`, import.meta.url));
}

/**
 * A server of one's own on a free port. It ends with this process at the latest, and does not keep it from ending. A
 * database of FerretDB has no room beyond so many pages of 4 KiB.
 */
export async function startStandIn(name: StandInName, pages?: number): Promise<StandIn> {
  const directory = mkdtempSync(join(tmpdir(), 'tracker-ledger-'));
  const [program, ...args] = KINDS[name].command(programOf(name), directory, pages);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const end = () => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', end);
  const url = withOptions(await saidBy(child, ended), KINDS[name].options);
  for (const held of [child, child.stdin, child.stdout]) unref(held);
  return {
    name,
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      process.off('exit', end);
      child.ref();
      child.kill('SIGKILL');
      await ended;
      end();
    },
  };
}

async function saidBy(child: ChildProcessByStdio<Writable, Readable, null>, ended: Promise<unknown>): Promise<string> {
  const over = ended.then(() => {
    throw new Error(`${child.spawnfile} has ended before it listened`);
  });
  let said = '';
  while (!said.includes('\n')) {
    const [chunk] = await Promise.race([once(child.stdout, 'data'), over]);
    said += String(chunk);
  }
  child.stdout.resume();
  return said.trim();
}

/** Pipes of a child are sockets, which the types of its streams do not say. */
function unref(held: object): void {
  if ('unref' in held && typeof held.unref === 'function') held.unref();
}
