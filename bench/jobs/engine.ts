/** The parts underneath, bare: the disk, and SQLite with a table like the log's. */
import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/stores/sqlite/connection.js';
import { quantile } from '../statistics.js';

export interface EngineInput {
  readonly directory: string;
  readonly seconds: number;
  /** Appends per transaction. */
  readonly group?: number;
}

export interface EngineResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

const BLOCK = Buffer.alloc(4096, 'x');

export function fsync({ directory, seconds }: EngineInput): Promise<EngineResult> {
  return inScratch(directory, (scratch) => {
    const file = openSync(join(scratch, 'blocks'), 'w');
    const result = repeated(seconds, () => {
      writeSync(file, BLOCK);
      fdatasyncSync(file);
      return 1;
    });
    closeSync(file);
    return result;
  });
}

const PAGE = Buffer.alloc(8192, 'x');
/** A checkpoint of the read models' log copies so many. */
const PAGES = 4000;
/** Of the file: half a gibibyte. */
const IN_FILE = 65_536;

/** Pages all over a file that is there, in its order, then one sync: what a checkpoint asks of the disk. */
export function checkpoint({ directory, seconds }: EngineInput): Promise<EngineResult> {
  return inScratch(directory, (scratch) => {
    const file = openSync(join(scratch, 'pages'), 'w');
    for (let nth = 0; nth < IN_FILE; nth += 1) writeSync(file, PAGE);
    fdatasyncSync(file);
    const result = repeated(seconds, () => {
      const places = Array.from({ length: PAGES }, () => Math.floor(Math.random() * IN_FILE)).toSorted((a, b) => a - b);
      for (const place of places) writeSync(file, PAGE, 0, PAGE.length, place * PAGE.length);
      fdatasyncSync(file);
      return PAGES;
    });
    closeSync(file);
    return result;
  });
}

export function append({ directory, seconds, group = 1 }: EngineInput): Promise<EngineResult> {
  return inScratch(directory, (scratch) => {
    const database = openDatabase(join(scratch, 'log.sqlite'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
    database.exec(`CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL,
      id TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL, UNIQUE (stream, revision)) STRICT`);
    const insert = database.prepare(
      'INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)',
    );
    const data = 'd'.repeat(1000);
    const metadata = 'm'.repeat(200);
    let stream = 0;
    const result = repeated(seconds, () => {
      database.exec('BEGIN IMMEDIATE');
      for (let nth = 0; nth < group; nth += 1) {
        insert.run(`artifact-${(stream += 1)}`, 0, randomUUID(), 'ArtifactSubmitted', data, metadata);
      }
      database.exec('COMMIT');
      return group;
    });
    database.close();
    return result;
  });
}

/** The whole log, in pages, with every event parsed. */
export function scan({ directory }: EngineInput): Promise<{ readonly events: number; readonly perSecond: number }> {
  const database = openDatabase(join(directory, 'log.sqlite'), { readOnly: true });
  const page = database.prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT 1000');
  const began = performance.now();
  let events = 0;
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.['position'] ?? 0)) {
    for (const { data, metadata } of rows) {
      JSON.parse(String(data));
      JSON.parse(String(metadata));
    }
    events += rows.length;
  }
  const seconds = (performance.now() - began) / 1000;
  database.close();
  return Promise.resolve({ events, perSecond: events / seconds });
}

function inScratch(directory: string, work: (scratch: string) => EngineResult): Promise<EngineResult> {
  const scratch = mkdtempSync(join(directory, 'engine-'));
  try {
    return Promise.resolve(work(scratch));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function repeated(seconds: number, work: () => number): EngineResult {
  const times: number[] = [];
  const began = performance.now();
  let done = 0;
  for (let now = began; now < began + seconds * 1000;) {
    done += work();
    const after = performance.now();
    times.push(after - now);
    now = after;
  }
  const elapsed = (performance.now() - began) / 1000;
  return { perSecond: done / elapsed, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
