import { expect } from 'chai';
import { accountOf, NOTHING, plus, totalOf, type Account } from '../../../projections/engine/filling/account.js';
import { comparison } from '../../../projections/engine/filling/comparison.js';
import { NO_MARKS } from '../../../src/core/marks.js';
import { type Change, type Generation, type ReadModelStore } from '../../../src/core/projection.js';
import { sqliteReadModelStore } from '../../../src/stores/sqlite/read-models/writer.js';
import { note, notes, openRun, PROJECTION, reached, written } from '../../stores/contracts/read-models-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

describe('what a filled generation is held against', () => {
  let directory: TemporaryDirectory;
  let file: ReturnType<typeof sqliteReadModelStore>;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = sqliteReadModelStore(directory.path);
  });
  afterEach(async () => {
    file.close();
    await directory.remove();
  });

  describe('by an account of its commits', () => {
    let run: Generation;
    let account: Account;
    let isCut: boolean;

    beforeEach(async () => {
      ({ run } = await openRun(file));
      isCut = false;
      // A store without transactions may have written a part of a commit that failed.
      const store: ReadModelStore = {
        ...file,
        commit: async (projection, generation, changes, checkpoint) => {
          if (!isCut) return file.commit(projection, generation, changes, checkpoint);
          await file.commit(projection, generation, changes.slice(0, 1), { version: 1, position: null, event: null });
          throw new Error('the connection has ended');
        },
      };
      account = accountOf(store);
    });

    const commit = (n: number, ...changes: readonly Change[]): Promise<void> =>
      account.store.commit(PROJECTION, run, changes, reached(n));
    const cut = async (n: number, ...changes: readonly Change[]): Promise<void> => {
      isCut = true;
      expect(await commit(n, ...changes).catch((error: unknown) => error)).to.be.instanceOf(Error);
      isCut = false;
    };
    const change = (id: number, title: string, n: number, before: Change['before'] = null): Change => ({
      ...written({ ...note(id), title }, n),
      before,
    });
    const expectRight = async (): Promise<void> => {
      let kept = NOTHING;
      for await (const slice of file.documents(run, notes.name)) {
        for (const { id, body } of slice) kept = plus(kept, totalOf(id, body));
      }
      expect(account.of(notes.name)).to.deep.equal(kept);
    };

    it('counts what a commit that failed has written, once it is loaded again', async () => {
      await cut(2, change(1, 'one', 1), change(2, 'two', 2));
      const loaded = await account.store.load(run, notes, [1, 2]);
      expect([...loaded.keys()]).to.deep.equal([1]);
      await commit(2, change(2, 'two', 2));
      await expectRight();
    });

    it('counts a commit that is repeated once, whatever comes after it', async () => {
      const both = [change(1, 'one', 1), change(2, 'two', 2)];
      await cut(2, ...both);
      await commit(2, ...both);
      await expectRight();
      await commit(3, change(1, 'other', 3, both[0]));
      await expectRight();
    });
  });

  it('finds no difference in a document that changed after the place that the other one has got to', async () => {
    const [served, filled] = [await openRun(file), await openRun(file)];
    await served.commit(1, written({ ...note(1), title: 'before' }, 1), written({ ...note(2), title: 'odd' }, 1));
    await filled.commit(2, written({ ...note(1), title: 'after' }, 2), written({ ...note(2), title: 'even' }, 1));
    const progress = (generation: Generation, n: number) => ({ generation, ...reached(n), marks: NO_MARKS });
    for (const [one, other] of [
      [progress(filled.run, 2), progress(served.run, 1)],
      [progress(served.run, 1), progress(filled.run, 2)],
    ] as const) {
      const compared = comparison({ store: file, model: notes.name, filled: one, served: other });
      for await (const slice of file.documents(one.generation, notes.name)) await compared.take(slice);
      expect(await compared.end()).to.deep.equal([2]);
      await compared.close();
    }
  });

  it('names ten documents that differ, wherever they are, and looks for no more', async () => {
    const [served, filled] = [await openRun(file), await openRun(file)];
    const titled = (title: string, ...ids: readonly number[]) => ids.map((id) => written({ ...note(id), title }, 1));
    const both = Array.from({ length: 6 }, (_, n) => 3 * n);
    await served.commit(1, ...titled('one', ...both), ...titled('served', 1, 4, 7, 10, 13, 16));
    await filled.commit(1, ...titled('other', ...both), ...titled('filled', 2, 5, 8, 11, 14, 17));
    const progress = ({ run }: { readonly run: Generation }) => ({ generation: run, ...reached(1), marks: NO_MARKS });
    const sides = { store: file, model: notes.name, filled: progress(filled), served: progress(served) };
    const compared = comparison(sides);
    for await (const slice of file.documents(filled.run, notes.name)) await compared.take(slice);
    expect(await compared.end()).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await compared.close();
  });
});
