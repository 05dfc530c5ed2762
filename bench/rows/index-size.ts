/** What the stores keep of an artifact beside its body, so that it is found. */
import { BSON } from 'mongodb';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { artifactViews, type ArtifactDocument } from '../../src/artifacts/artifact-view.js';
import { type Position } from '../../src/core/event-log.js';
import { type Change } from '../../src/core/projection.js';
import { stored } from '../../src/stores/mongodb/read-models/documents.js';
import { openDatabase } from '../../src/stores/sqlite/connection.js';
import { sqliteReadModelStore } from '../../src/stores/sqlite/read-models/writer.js';
import { tables } from '../../src/stores/sqlite/read-models/schema.js';
import { fixed, whole, type Measured } from '../table.js';
import { sentence } from '../words.js';
import { type Row } from './row.js';

const ARTIFACTS = 2000;
const MOST_KEYS = 60;
const MOST_BYTES = 2.5;
const PROJECTION = 'artifacts';

export const indexSize: Row = {
  name: 'index',
  ownPlatform: true,
  async measure() {
    const changes = Array.from({ length: ARTIFACTS }, (_, index) => changeOf(101 + index));
    const bodies = changes.reduce((sum, { document }) => sum + Buffer.byteLength(JSON.stringify(document)), 0);
    const body = bodies / ARTIFACTS;
    return [...measured('SQLite', body, await onSqlite(changes)), ...measured('MongoDB', body, onMongoDb(changes))];
  },
};

interface Size {
  readonly keys: number;
  readonly bytes: number;
}

const measured = (store: string, body: number, { keys, bytes }: Size): readonly Measured[] => [
  {
    what: `keys of an artifact on ${store}`,
    ratio: fixed(keys, 0),
    goal: `≤ ${MOST_KEYS}`,
    figures: 'beside ids, positions and texts',
  },
  {
    what: `bytes of an artifact on ${store}`,
    ratio: fixed(bytes / body),
    goal: `≤ ${fixed(MOST_BYTES, 1)}`,
    figures: `${whole(bytes)}; its body has ${whole(body)}`,
  },
];

async function onSqlite(changes: readonly Change[]): Promise<Size> {
  const directory = mkdtempSync(join(tmpdir(), 'tracker-ledger-index-'));
  try {
    const store = sqliteReadModelStore(directory);
    const generation = await store.open(PROJECTION, [artifactViews.name], 1);
    const checkpoint = { version: 1, position: positionOf(ARTIFACTS), event: 'last' };
    await store.commit(PROJECTION, generation, changes, checkpoint);
    // A filled generation has its index from then on.
    await store.serve(PROJECTION, generation);
    store.close();
    const database = openDatabase(join(directory, 'read-models.sqlite'));
    const number = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
    const keys = number(`SELECT count(*) FROM ${tables(generation, artifactViews.name).entries}`);
    const bytes = number('PRAGMA page_count') * number('PRAGMA page_size');
    database.close();
    return { keys: keys / ARTIFACTS, bytes: bytes / ARTIFACTS };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Without the indexes of the server. */
function onMongoDb(changes: readonly Change[]): Size {
  const documents = changes.map(stored);
  const keys = documents.reduce((sum, one) => sum + ('e' in one ? one.e.length : 0), 0);
  const bytes = documents.reduce((sum, one) => sum + BSON.calculateObjectSize(one), 0);
  return { keys: keys / ARTIFACTS, bytes: bytes / ARTIFACTS };
}

const positionOf = (n: number): Position => n.toString(16).padStart(16, '0') as Position;

function changeOf(id: number): Change {
  return { model: artifactViews, id, document: artifactOf(id), position: positionOf(id) };
}

/** Three texts of 600 characters, sixteen other values, and the six fields that every artifact has. */
function artifactOf(id: number): ArtifactDocument {
  const text = (nth: number): string => words(4 * id + nth).slice(0, 600);
  const at = new Date(Date.UTC(2026, 0, 1) + id * 1000).toISOString();
  return {
    id,
    trackerId: 101,
    atid: id - 100,
    revision: 0,
    submittedBy: 101 + (id % 30),
    submittedOn: at,
    lastUpdateBy: 101 + (id % 20),
    lastUpdateOn: at,
    limitedBy: [],
    unasked: [],
    closedOn: null,
    values: {
      501: sentence(id, 7),
      502: { text: text(1), format: 'commonmark' },
      503: { text: text(2), format: 'text' },
      504: { text: text(3), format: 'text' },
      505: sentence(id + 4, 3),
      506: [601 + (id % 5)],
      507: [611 + (id % 3)],
      508: [101 + (id % 30), 101 + (id % 29)],
      509: [105 + (id % 2)],
      510: [621 + (id % 4), 621 + ((id + 1) % 4)],
      511: [{ bound: 631 + (id % 5) }],
      512: (id % 40) / 4,
      513: id % 1000,
      514: id % 13,
      515: id % 101,
      516: { date: at.slice(0, 10) },
      517: { date: `${at.slice(0, 16)}:00Z` },
      518: [{ id: id - 50, type: 'fixed_in' }],
      519: [],
    },
  };
}

/** Of some words that come again and again and some that never do. */
function words(seed: number): string {
  const pairs = Array.from({ length: 60 }, (_, nth) => {
    const rare = (Math.imul(64 * seed + nth, 2_654_435_761) >>> 0).toString(36);
    return `${sentence(64 * seed + nth, 2)} ${rare}`;
  });
  return pairs.join(' ');
}
