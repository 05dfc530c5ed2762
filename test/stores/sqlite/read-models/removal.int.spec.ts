import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type StreamName } from '../../../../src/core/event-log.js';
import { openDatabase, type SqlRow } from '../../../../src/stores/sqlite/connection.js';
import {
  at,
  everything,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  reached,
  servedRun,
  written,
} from '../../contracts/read-models-fixture.js';
import { openedForEach } from './opened.js';

const MANY = 5000;
const KEYS = Array.from({ length: 10 }, (_, nth) => `k${nth}`);

describe('a large generation on SQLite that is replaced', () => {
  const around = openedForEach();

  const many = Array.from({ length: MANY }, (_, id) =>
    written(note(id, { key: 'title', text: `number ${id}` }, ...KEYS.map((key) => ({ key, value: id % 7 }))), MANY),
  );
  const rows = (select: string): readonly SqlRow[] => {
    const file = openDatabase(join(around.path, 'read-models.sqlite'));
    const found = file.prepare(select).all();
    file.close();
    return found;
  };
  const tablesLeft = (): readonly string[] =>
    rows("SELECT name FROM sqlite_schema WHERE name LIKE 'removed%'").map(({ name }) => String(name));
  const swept = async (): Promise<void> => {
    while (tablesLeft().length > 0) await setImmediate();
  };
  const replaced = async () => {
    const before = await servedRun(around.store);
    await before.commit(MANY, ...many);
    expect((await around.store.models.find(notes, everything)).total).to.equal(MANY);
    const after = await openRun(around.store.store, 2);
    await after.commit(MANY, written(note(1), MANY));
    expect(await around.store.store.serve(PROJECTION, after.run)).to.equal(true);
    return after;
  };

  it('is removed in steps, between which commits have their turn', async () => {
    const { commit } = await replaced();
    expect(tablesLeft()).not.to.deep.equal([]);
    let between = 0;
    for (; tablesLeft().length > 0; between += 1)
      await commit(MANY + 1 + between, written(note(2), MANY + 1 + between));
    expect(between).to.be.above(0);
    expect(
      await around.store.store.verify(PROJECTION, (await around.store.store.serving(PROJECTION))!, MODELS),
    ).to.deep.equal([]);
  });

  it('is never read half removed, by those who have not been told of the next either', async () => {
    const { run } = await replaced();
    const totals = new Set<number>();
    while (tablesLeft().length > 0) {
      totals.add((await around.store.models.find(notes, everything)).total);
      await setImmediate();
    }
    expect([...totals]).to.deep.equal([1]);
    around.store.tell({ projection: PROJECTION, generation: run, position: at(MANY), models: MODELS });
    expect((await around.store.models.find(notes, everything)).total).to.equal(1);
  });

  it('is removed in steps, too, with all that is known of it, if it is withdrawn or discarded', async () => {
    const { store } = around.store;
    const mark = { stream: 'note-1' as StreamName, type: 'T', schema: 1, revision: 1, position: at(1), reason: 'r' };
    const { run, commit } = await servedRun(around.store);
    await commit(MANY, ...many);
    await store.commit(PROJECTION, run, [], reached(MANY), [mark]);
    await store.withdraw(PROJECTION);
    expect(tablesLeft()).not.to.deep.equal([]);
    await swept();
    const discarded = await openRun(store, 2);
    await discarded.commit(MANY, ...many);
    await store.discard(PROJECTION, discarded.run, MODELS);
    expect(tablesLeft()).not.to.deep.equal([]);
    await swept();

    expect(await store.serve(PROJECTION, discarded.run)).to.equal(false);
    const known = ['runs', 'models', 'marks'].map((table) => `SELECT run FROM ${table}`).join(' UNION ALL ');
    expect(rows(known)).to.deep.equal([]);
  });

  it('is removed by the next start if the process ends meanwhile', async () => {
    await replaced();
    await around.reopen();
    await swept();
    expect((await around.store.models.find(notes, everything)).total).to.equal(1);
  });
});
