/** What an operator reads where read models are found damaged while they are used. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ReadModelStore } from '../../../../src/core/projection.js';
import { type Document } from '../../../../src/core/read-models.js';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import { tables } from '../../../../src/stores/sqlite/read-models/schema.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';
import { rejection } from '../../contracts/event-log-fixture.js';
import {
  everything,
  note,
  notes,
  reached,
  servedRun,
  written,
  PROJECTION,
} from '../../contracts/read-models-fixture.js';
import { opened } from './opened.js';

const PAGE = 8192;
const NOTES = 500;

describe('read models on SQLite that are found damaged', () => {
  let directory: TemporaryDirectory;
  let file: string;
  let generation: number;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = join(directory.path, 'read-models.sqlite');
    const world = opened(directory.path);
    const { run, commit } = await servedRun(world);
    const titled = (id: number) => ({ ...note(id, { key: 'n', value: id }), title: 'long '.repeat(100) });
    await commit(1, ...Array.from({ length: NOTES }, (_, id) => written(titled(id), 1)));
    await world.close();
    generation = run;
  });
  afterEach(() => directory.remove());

  const changed = (sql: string): void => {
    const database = openDatabase(file);
    database.exec(sql);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  };
  const expectNamed = (error: unknown, reason: string): void => {
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes(reason);
    expect((error as Error).message).to.match(new RegExp(`^The read models in ${directory.path} are damaged \\(`));
    expect((error as Error).message).to.match(
      /\); stop the service and remove this directory: the next start fills them/,
    );
  };
  const commitOf = (store: ReadModelStore, ids: readonly Document['id'][]): Promise<void> => {
    const changes = ids.map((id) => written(note(id, { key: 'n', value: -1 }), 2));
    return store.commit(PROJECTION, generation, changes, reached(2));
  };

  it('name their directory and the remedy where a document is no JSON', async () => {
    changed(`UPDATE ${tables(generation, notes.name).documents} SET body = '{"id": 7, ' WHERE id = 7`);
    const { models, store, close } = opened(directory.path);
    const signal = new AbortController().signal;
    const found = await Promise.all([
      rejection(models.get(notes, 7)),
      rejection(models.getSlice(notes, [6, 7])),
      rejection(models.find(notes, everything)),
      rejection(models.subscribe(notes, () => undefined, signal)),
      rejection(store.load(generation, notes, [7])),
      rejection(commitOf(store, [6, 7])),
    ]);
    expect((await models.get(notes, 6))?.id).to.equal(6);
    await close();
    for (const error of found) expectNamed(error, 'JSON');
  });

  it('name their directory and the remedy where pages are malformed', async () => {
    changed('SELECT 1');
    const root = rootOf(file, tables(generation, notes.name).documents);
    const opening = openSync(file, 'r+');
    for (let page = root; page < statSync(file).size / PAGE; page += 1)
      writeSync(opening, Buffer.alloc(300, 0xee), 0, 300, page * PAGE);
    closeSync(opening);
    const { models, store, close } = opened(directory.path, 0);
    const found = await Promise.all([
      rejection(models.get(notes, 7)),
      rejection(models.getSlice(notes, [6, 7])),
      rejection(models.find(notes, everything)),
      rejection(models.findSlice(notes, everything)),
      rejection(commitOf(store, [7])),
      rejection(store.verify(PROJECTION, generation, [notes.name])),
    ]);
    await close();
    for (const error of found) expectNamed(error, 'database disk image is malformed');
  });

  it('tell of rows that do not agree when they are verified, whichever they are', async () => {
    const { gone, texts, text_counts: counts } = tables(generation, notes.name);
    const damages: readonly (readonly [string, string])[] = [
      [`INSERT INTO ${gone} VALUES (7, '1')`, 'notes: 1 documents both there and gone'],
      [`INSERT INTO ${counts} VALUES (1, 3)`, 'notes: 1 wrong counts of texts'],
      [`INSERT INTO ${texts} VALUES (2, ${NOTES}, 0, 'x', 0)`, 'notes: 1 texts without a document'],
      [`UPDATE ${texts} SET grams = 1`, 'notes: 1 texts without trigrams, or the other way round'],
      ['UPDATE models SET documents = documents - 1', `notes: ${NOTES} documents, but ${NOTES - 1} counted`],
    ];
    for (const [damage, finding] of damages) {
      changed(damage);
      const { store, close } = opened(directory.path);
      const findings = await store.verify(PROJECTION, generation, [notes.name]);
      await close();
      expect(findings).to.include(finding);
    }
  });
});

function rootOf(file: string, table: string): number {
  const database = openDatabase(file, { readOnly: true });
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  return Number(row?.['rootpage']);
}
