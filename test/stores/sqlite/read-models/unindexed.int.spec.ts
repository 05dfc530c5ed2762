import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, type ReadModel } from '../../../../src/core/read-models.js';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import { rejection } from '../../contracts/event-log-fixture.js';
import {
  at,
  deleted,
  everything,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  reached,
  servedRun,
  written,
  type Note,
} from '../../contracts/read-models-fixture.js';
import { openedForEach } from './opened.js';

const MANY = 3000;
/** The rows of all of them are too many to be written together. */
const LONG = 'long '.repeat(500);
const KEYS = Array.from({ length: 25 }, (_, nth) => `k${nth}`);

describe('a generation that is filled on SQLite', () => {
  const around = openedForEach();

  const numbered = (id: number): Note =>
    note(
      id,
      { key: 'title', text: `number ${id}` },
      { key: 'body', text: LONG },
      ...KEYS.map((key) => ({ key, value: id % 7 })),
    );
  const many = Array.from({ length: MANY }, (_, index) => numbered(index + 1));

  it('lets commits of the served one in between while it is written', async () => {
    const { run } = await servedRun(around.store);
    const filled = await openRun(around.store.store, 2);
    const ended: string[] = [];
    await Promise.all([
      filled.commit(MANY, ...many.map((one) => written(one, MANY))).then(() => ended.push('filled')),
      around.store.store.commit(PROJECTION, run, [written(note(1), 1)], reached(1)).then(() => ended.push('served')),
    ]);
    expect(ended).to.deep.equal(['served', 'filled']);
  });

  it('lets commits of the served one in between while it is indexed', async () => {
    const served = await servedRun(around.store);
    const filled = await openRun(around.store.store, 2);
    await filled.commit(MANY, ...many.map((one) => written(one, MANY)));
    let findings: readonly string[] | undefined;
    const verified = around.store.store.verify(PROJECTION, filled.run, MODELS).then((found) => (findings = found));
    let between = 0;
    while (findings === undefined) {
      between += 1;
      await served.commit(between, written(note(1), between));
    }
    expect(await verified).to.deep.equal([]);
    // Of 75,000 entries.
    expect(between).to.be.above(10);
  });

  it('is indexed from the start after a try that failed', async () => {
    let isBroken = false;
    const brittle: ReadModel<Document> = {
      ...notes,
      entries: (document) => {
        if (isBroken && document.id === MANY) throw new Error('no entries');
        return notes.entries?.(document as Note) ?? [];
      },
    };
    const { run, commit } = await openRun(around.store.store);
    await commit(MANY, ...many.map((one) => ({ ...written(one, MANY), model: brittle })));
    isBroken = true;
    const failure = await around.store.store.verify(PROJECTION, run, MODELS).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    isBroken = false;
    expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);

    await commit(MANY + 1, written(numbered(MANY + 1), MANY + 1));
    expect(await around.store.store.serve(PROJECTION, run)).to.equal(true);
    around.store.tell({ projection: PROJECTION, generation: run, position: at(MANY + 1), models: MODELS });
    const { total } = await around.store.models.find(notes, {
      ...everything,
      where: [{ type: 'any-of', key: 'k0', values: [0] }],
    });
    expect(total).to.equal([...many, numbered(MANY + 1)].filter(({ id }) => Number(id) % 7 === 0).length);
    expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
  });

  it('has a document that was written again after its deletion', async () => {
    const { run, commit } = await openRun(around.store.store);
    await commit(1, written(note(1), 1));
    await commit(2, deleted(1, 2));
    await commit(3, written(note(1), 3));
    expect(await around.store.store.load(run, notes, [1])).to.deep.equal(
      new Map([[1, { document: note(1), position: at(3) }]]),
    );
    expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
  });

  it('is indexed beside another one', async () => {
    const { store } = around.store;
    const generations = await Promise.all([openRun(store), openRun(store, 1, 'others')]);
    for (const { commit } of generations) await commit(MANY, ...many.map((one) => written(one, MANY)));
    const [one, other] = generations.map(({ run }) => run);
    const verified = [store.verify(PROJECTION, one!, MODELS), store.verify('others', other!, MODELS)];
    expect(await Promise.all(verified)).to.deep.equal([[], []]);
  });

  it('takes a document with all that finds it, or not at all, once it is indexed', async () => {
    const { run, commit } = await openRun(around.store.store);
    expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    const last = 40_000;
    const large = note(1, ...Array.from({ length: last + 1 }, (_, value) => ({ key: 'k', value })));
    const database = openDatabase(join(around.path, 'read-models.sqlite'));
    database.exec(`CREATE TRIGGER refusing BEFORE INSERT ON entries_by_id_${run}_${notes.name} WHEN new.value = ${last}
      BEGIN SELECT RAISE(ABORT, 'no room'); END`);
    expect(await rejection(commit(1, written(large, 1)))).to.include({ message: 'no room' });
    database.exec('DROP TRIGGER refusing');
    database.close();
    await commit(1, written(large, 1));
    expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    await around.store.store.serve(PROJECTION, run);
    around.store.tell({ projection: PROJECTION, generation: run, position: at(1), models: MODELS });
    const where = [{ type: 'any-of', key: 'k', values: [last] }] as const;
    expect((await around.store.models.find(notes, { ...everything, where })).total).to.equal(1);
  });

  for (const { what, step, hasScratch } of [
    { what: 'its trigrams', step: 5, hasScratch: false },
    { what: 'the sorting of its entries', step: 15, hasScratch: true },
  ]) {
    it(`stops amid ${what} if it is told to, and is indexed from the start at the next try`, async () => {
      const { run, commit } = await openRun(around.store.store);
      await commit(MANY, ...many.map((one) => written(one, MANY)));
      const scratch = join(around.path, 'scratch.sqlite');
      let steps = 0;
      const told = (rows: number): void => {
        if (rows === 0) steps += 1;
        if (steps === step) throw new Error(`scratch: ${existsSync(scratch)}`);
      };
      const stopped = await around.store.store.verify(PROJECTION, run, MODELS, told).catch((error: unknown) => error);
      expect(stopped).to.include({ message: `scratch: ${hasScratch}` });
      expect(existsSync(scratch)).to.equal(false);

      // What the first try has written of it is gone, too.
      await commit(MANY + 1, deleted(1, MANY + 1));
      expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    });
  }
});
