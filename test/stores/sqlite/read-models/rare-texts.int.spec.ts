import { expect } from 'chai';
import { join } from 'node:path';
import { compareIds } from '../../../../projections/engine/filling/comparison.js';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import {
  at,
  deleted,
  everything,
  matches,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  servedRun,
  written,
  type Note,
} from '../../contracts/read-models-fixture.js';
import { openedForEach } from './opened.js';

const MANY = 2000;
/** With so many, the numbers of rows of trigrams are too large for JavaScript. */
const MANY_KEYS = 9000;
/** One in 90. */
const LONG_ONES = Math.ceil(MANY / 90);
const LONG = ' and so on'.repeat(40);
const titled = (id: number | string, text: string): Note => note(id, { key: 'title', text });
/** Some of them long, a few with something rare. */
const title = (id: number): string =>
  `Valve ${id % 7} "${id}"${id % 400 === 0 ? ' QuÖkka 😀%' : ''}${id % 90 === 0 ? `${LONG} 💡 ${id}` : ''}`;

describe('substrings of many texts on SQLite', () => {
  const around = openedForEach();

  const found = async (text: string): Promise<readonly unknown[]> => {
    const where = [{ type: 'contains', key: 'title', text }] as const;
    const { items, total } = await around.store.models.find(notes, { ...everything, where, limit: 3 * MANY });
    expect(total).to.equal(items.length);
    return items.map(({ id }) => id);
  };

  const execute = (sql: string): void => {
    const file = openDatabase(join(around.path, 'read-models.sqlite'));
    file.exec(sql);
    file.close();
  };

  const NEEDLES = [
    'quökka',
    'ökk',
    'kka 😀',
    '😀%',
    '"400"',
    ' 😀',
    'valve',
    '',
    'zebra',
    '\u0001\u0001\u0001',
    'so on 💡 9',
  ];

  it('are found like by a scan, rare or common, after any earlier writes', async () => {
    const state = new Map<Note['id'], Note>();
    const { run, commit } = await servedRun(around.store);
    const expectFound = async (): Promise<void> => {
      for (const text of NEEDLES) {
        const holds = [...state.values()].filter(({ entries }) =>
          matches(entries, { type: 'contains', key: 'title', text }),
        );
        expect(await found(text)).to.deep.equal(holds.map(({ id }) => id).sort(compareIds), text);
      }
      expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    };
    const write = async (n: number, ...all: readonly Note[]): Promise<void> => {
      for (const one of all) state.set(one.id, one);
      await commit(n, ...all.map((one) => written(one, n)));
    };
    await write(1, ...Array.from({ length: MANY }, (_, id) => titled(id, title(id))));
    await expectFound();
    await write(2, titled(400, 'Quokka'), titled(90, 'short'), titled(3, `Quökka 😀%${LONG}`), note(800));
    state.delete(1200);
    await commit(3, deleted(1200, 3));
    await expectFound();
    // No number to be found by.
    await write(4, titled('a', 'Quökka'), titled(-5, 'Quökka'), titled(2 ** 40 + 3, 'Quökka 😀%'));
    await expectFound();
  });

  it('are found among many texts that are too long for trigrams', async () => {
    const { commit } = await servedRun(around.store);
    const isRare = (id: number): boolean => id === 1 || id === MANY - 1;
    const long = (id: number): Note => titled(id, `${isRare(id) ? 'quokka' : 'valve'}${id % 10 === 1 ? LONG : ''}`);
    await commit(1, ...Array.from({ length: MANY }, (_, id) => written(long(id), 1)));
    expect(await found('quokka')).to.deep.equal([1, MANY - 1]);
    const last = MANY - 9;
    await commit(2, written(titled(last, `quokka${LONG}`), 2));
    expect(await found('quokka')).to.deep.equal([1, last, MANY - 1]);
  });

  /** Some have a name in place of a number, some two titles, and all a second text under another key. */
  const noteOf = (id: number): Note =>
    note(
      id % 100 === 99 ? `n${id}` : id,
      { key: 'title', text: title(id) },
      ...(id % 50 === 1 ? [{ key: 'title', text: `second ${id}` }] : []),
      { key: 'other', text: `other ${id}` },
    );
  const all = Array.from({ length: MANY }, (_, id) => written(noteOf(id), 1));
  /** One in 100 has a name. */
  const WITH_GRAMS = 2 * (MANY - MANY / 100) - LONG_ONES;

  const itLooksThemUp = async (run: number): Promise<void> => {
    expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    expect(await found('quökka')).to.deep.equal([0, 400, 800, 1200, 1600]);
    execute(`DELETE FROM grams_${run}_notes`);
    // The first one is too long for trigrams.
    expect(await found('quökka')).to.deep.equal([0]);
    expect(await around.store.store.verify(PROJECTION, run, MODELS)).to.deep.equal([
      `notes: ${WITH_GRAMS} texts without trigrams, or the other way round`,
    ]);
  };

  it('are looked up in trigrams where few have them', async () => {
    const { run, commit } = await servedRun(around.store);
    await commit(1, ...all);
    await itLooksThemUp(run);
  });

  it('are looked up in those of a filling, too, after many other keys', async () => {
    execute(`INSERT INTO keys VALUES (${MANY_KEYS}, 'last')`);
    const { run, commit } = await openRun(around.store.store);
    await commit(1, ...all);
    expect(await around.store.store.serve(PROJECTION, run)).to.equal(true);
    around.store.tell({ projection: PROJECTION, generation: run, position: at(1), models: MODELS });
    await itLooksThemUp(run);
  });
});
