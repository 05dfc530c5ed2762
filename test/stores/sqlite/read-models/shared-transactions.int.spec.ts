import { expect } from 'chai';
import { openReadModelFile, type ReadModelFile } from '../../../../src/stores/sqlite/read-models/file.js';
import { sharedTransactions, stretches } from '../../../../src/stores/sqlite/read-models/shared-transactions.js';
import { sqliteReadModelStore } from '../../../../src/stores/sqlite/read-models/writer.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';
import { note, notes, openRun, PROJECTION, reached, written } from '../../contracts/read-models-fixture.js';

describe('transactions of the read models on SQLite', () => {
  let directory: TemporaryDirectory;
  let file: ReadModelFile;
  let begun: number;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = openReadModelFile(directory.path, 'write');
    file.sql('CREATE TABLE words (word TEXT)').run();
    begun = 0;
  });

  afterEach(async () => {
    file.close();
    await directory.remove();
  });

  const counted = (): ReadModelFile => ({
    ...file,
    transaction: (mode, work) => {
      begun += 1;
      return file.transaction(mode, work);
    },
  });
  type Shared = ReturnType<typeof sharedTransactions>;
  const served =
    (shared: Shared) =>
    (work: () => void): Promise<void> =>
      shared(work, 'served');
  const add = (word: string) => (): void => {
    file.sql('INSERT INTO words VALUES (?)').run(word);
  };
  const words = (): readonly unknown[] =>
    file
      .sql('SELECT word FROM words')
      .all()
      .map(({ word }) => word);

  it('are one for all that is asked for in one turn of the thread', async () => {
    const transaction = served(sharedTransactions(counted(), () => undefined));
    await Promise.all([transaction(add('a')), transaction(add('b')), transaction(add('c'))]);
    await transaction(add('d'));
    expect([begun, words()]).to.deep.equal([2, ['a', 'b', 'c', 'd']]);
  });

  it('are changes that readers may see if one part is', async () => {
    const seen: (boolean | undefined)[] = [];
    const noting: ReadModelFile = {
      ...file,
      transaction: (mode, work, isSeen) => {
        seen.push(isSeen);
        return file.transaction(mode, work, isSeen);
      },
    };
    const transaction = sharedTransactions(noting, () => undefined);
    await Promise.all([transaction(add('a'), 'unserved'), transaction(add('b'), 'unserved')]);
    await Promise.all([transaction(add('c'), 'unserved'), transaction(add('d'), 'served')]);
    expect(seen).to.deep.equal([false, true]);
  });

  it('undo one failing part, and commit the others', async () => {
    let undone = 0;
    const transaction = served(sharedTransactions(file, () => (undone += 1)));
    const failing = transaction(() => {
      add('b')();
      throw new Error('no more words');
    });
    const outcomes = await Promise.allSettled([transaction(add('a')), failing, transaction(add('c'))]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect([undone, words()]).to.deep.equal([1, ['a', 'c']]);
  });

  it('fail for all where SQLite has undone the whole, with the error that made it so', async () => {
    let undone = 0;
    const transaction = served(sharedTransactions(file, () => (undone += 1)));
    const failing = transaction(() => {
      file.sql('ROLLBACK').run();
      throw new Error('the disk is full');
    });
    const outcomes = await Promise.allSettled([transaction(add('a')), failing, transaction(add('c'))]);
    const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'written'));
    expect(reasons).to.deep.equal(Array(3).fill('Error: the disk is full'));
    await transaction(add('d'));
    expect([undone, words()]).to.deep.equal([1, ['d']]);
  });

  it('hold all steps of what readers see or what is whole, and let others in between those of other work', async () => {
    function* steps(letters: string) {
      for (const letter of letters) {
        add(letter)();
        const end = performance.now() + 15;
        while (performance.now() < end);
        yield;
      }
    }
    const inStretches = stretches(sharedTransactions(counted(), () => undefined));
    await inStretches(steps('abcd'), 'served');
    expect([begun, words().join('')]).to.deep.equal([1, 'abcd']);
    await inStretches(steps('efgh'), 'unserved');
    expect(begun).to.be.above(2);
    expect(words().join('')).to.equal('abcdefgh');
    begun = 0;
    await inStretches(steps('ijkl'), 'unserved', true);
    expect([begun, words().join('')]).to.deep.equal([1, 'abcdefghijkl']);
  });

  it('write what one generation has though another one, first, has a document that cannot be written', async () => {
    const store = sqliteReadModelStore(directory.path);
    const [one, other] = [await openRun(store), await openRun(store, 1, 'others')];
    await store.serve(PROJECTION, one.run);
    await store.serve('others', other.run);
    const unwritable = { ...note(2), title: 1n as unknown as string };
    const outcomes = await Promise.allSettled([
      one.commit(2, written(note(1, { key: 'new', value: 1 }), 1), written(unwritable, 2)),
      other.commit(1, written(note(1, { key: 'new', value: 1 }), 1)),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    expect(await store.load(one.run, notes, [1])).to.deep.equal(new Map());
    expect((await store.load(other.run, notes, [1])).get(1)?.position).to.equal(reached(1).position);
    // The number that the first one had given to the key is gone with what it wrote.
    const numbered = `SELECT keys.key FROM keys JOIN entries_${other.run}_notes AS entries ON entries.key = number`;
    expect(file.sql(numbered).all()).to.deep.equal([{ key: 'new' }]);
    store.close();
  });
});
