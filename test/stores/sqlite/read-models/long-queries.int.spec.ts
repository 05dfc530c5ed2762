import { expect } from 'chai';
import { type Given, type Query } from '../../../../src/core/read-models.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';
import { itFindsWhatQueriesSay } from '../../contracts/tql.contract.js';
import { itKeepsTheReadModelsContract } from '../../contracts/read-models.contract.js';
import {
  everything,
  note,
  notes,
  PROJECTION,
  servedRun,
  written,
  type Note,
  type OpenedReadModels,
} from '../../contracts/read-models-fixture.js';
import { opened } from './opened.js';

const MANY = 3000;
const FEW = 1000;

describe('the read models on SQLite, where another thread reads each page', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    await directory.remove();
  });

  itKeepsTheReadModelsContract(() => Promise.resolve(opened(directory.path, 0)));
  itFindsWhatQueriesSay(() => Promise.resolve(opened(directory.path, 0)), 5);
});

describe('long queries on SQLite', () => {
  let directory: TemporaryDirectory;
  let store: OpenedReadModels;
  let commit: Awaited<ReturnType<typeof servedRun>>['commit'];

  before(async () => {
    directory = await temporaryDirectory();
    store = opened(directory.path, FEW);
    ({ commit } = await servedRun(store));
    const some = Array.from({ length: MANY }, (_, nth): Note => note(nth, { key: 'k', value: nth % 2 }));
    await commit(MANY, ...some.map((one) => written(one, MANY)));
  });
  after(async () => {
    await store.close();
    await directory.remove();
  });

  const half = { ...everything, where: [{ type: 'any-of', key: 'k', values: [1] }] } as const;
  /** What this thread does is done before it looks for messages of others. */
  const isElsewhere = async (
    query: Query,
    ask = (asked: Query): Promise<unknown> => store.models.find(notes, asked),
  ): Promise<boolean> => {
    let isOver = false;
    const page = ask(query).finally(() => (isOver = true));
    await Promise.resolve();
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
    const wentOn = !isOver;
    await page;
    return wentOn;
  };

  it('are those that look at many documents, none else', async () => {
    // Of which it is known how many there are.
    const counted = { ...half, given: { from: notes, id: 1, take: () => ({ where: [], total: MANY / 2 }) } };
    const ordered = { ...half, order: [{ key: 'k', direction: 'asc' }] } as const;
    expect(await isElsewhere({ ...everything, limit: 5 })).to.equal(false);
    expect(await isElsewhere({ ...counted, limit: 5 })).to.equal(false);
    expect(await isElsewhere({ ...half, limit: 5 })).to.equal(true);
    expect(await isElsewhere({ ...everything, limit: 5, offset: MANY / 2 })).to.equal(true);
    expect(await isElsewhere({ ...ordered, limit: 5 })).to.equal(true);
    expect(await isElsewhere({ ...counted, limit: 5, offset: MANY / 2 - 5 })).to.equal(false);
  });

  it('are those of many criteria, of each of which the size would be counted', async () => {
    const rare = { type: 'any-of', key: 'k', values: [7] } as const;
    const alike = (count: number): Query => ({ ...everything, where: Array.from({ length: count }, () => rare) });
    for (const ask of [
      (query: Query) => store.models.find(notes, query),
      (query: Query) => store.models.findIds(notes, query),
    ]) {
      expect(await isElsewhere(alike(8), ask)).to.equal(false);
      expect(await isElsewhere(alike(9), ask)).to.equal(true);
    }
  });

  it('for ids are those that look at many documents, but not look-ups by one value', async () => {
    const ids = (query: Query) => store.models.findIds(notes, query);
    const [one] = half.where;
    const empty = { type: 'not', criterion: { type: 'empty', key: 'other' } } as const;
    const rare = { type: 'any-of', key: 'k', values: [7] } as const;
    expect(await isElsewhere(half, ids)).to.equal(false);
    expect(await isElsewhere({ ...everything, where: [one, empty] }, ids)).to.equal(true);
    expect(await isElsewhere({ ...everything, where: [rare, empty] }, ids)).to.equal(false);
    expect(await ids({ ...half, limit: 3 })).to.deep.equal([1, 3, 5]);
    expect(await ids({ ...everything, where: [one, { type: 'empty', key: 'other' }], limit: 3 })).to.deep.equal([
      1, 3, 5,
    ]);
  });

  describe('through texts', () => {
    const numbers = Array.from({ length: 250 }, (_, nth) => String(nth));
    let place: TemporaryDirectory;
    let texts: OpenedReadModels;
    before(async () => {
      place = await temporaryDirectory();
      texts = opened(place.path);
      const filling = await servedRun(texts);
      const some = numbers.flatMap((text, nth) => [
        note(nth, { key: 'many', text: `0 to ${text}` }),
        ...(nth < 50 ? [note(1000 + nth, { key: 'few', text: `0 to ${text}` })] : []),
      ]);
      await filling.commit(1, ...some.map((one) => written(one, 1)));
    });
    after(async () => {
      await texts.close();
      await place.remove();
    });
    const holding = (key: string, held: readonly string[]) => ({
      ...everything,
      where: [{ type: 'or', criteria: held.map((text) => ({ type: 'contains', key, text }) as const) }] as const,
    });
    const ids = (query: Query) => texts.models.findIds(notes, query);
    const page = (query: Query) => texts.models.find(notes, query);

    it('are those that look through many, although there are few documents', async () => {
      for (const ask of [ids, page]) {
        expect(await isElsewhere(holding('few', ['0']), ask)).to.equal(false);
        expect(await isElsewhere(holding('few', numbers.slice(0, 16)), ask)).to.equal(true);
        expect(await isElsewhere(holding('few', ['0'.repeat(100)]), ask)).to.equal(true);
        expect(await isElsewhere(holding('many', ['0']), ask)).to.equal(true);
      }
      expect(await ids(holding('many', ['0']))).to.have.length(numbers.length);
    });

    it('leave a thread to others where they look through very many', async () => {
      const done: string[] = [];
      // Both threads take their time to start.
      await Promise.all([page(holding('many', ['1'])), page(holding('many', ['2']))]);
      const asked = Array.from({ length: 8 }, (_, nth) =>
        page(holding('many', numbers.slice(nth, nth + 50))).then(() => done.push('very many')),
      );
      await Promise.all([...asked, page(holding('many', ['0'])).then(() => done.push('many'))]);
      expect(done.indexOf('many')).to.be.below(4);
    });
  });

  it('see each commit that is told of', async () => {
    const deep = { ...everything, limit: 1, offset: MANY / 2 };
    for (let nth = 1; nth <= 20; nth += 1) {
      await commit(MANY + nth, written(note(MANY + nth), MANY + nth));
      expect((await store.models.find(notes, deep)).total).to.equal(MANY + nth);
    }
  });

  it('take a part of themselves from a document as it is at their moment, whatever is written meanwhile', async () => {
    const given: Given<Note> = {
      from: notes,
      id: 1,
      take: (document) => ({ where: [], total: document?.entries.length }),
    };
    // The document itself comes first.
    const query = { ...half, given, order: [{ key: 'other', direction: 'desc' }], limit: 1 } as const;
    let [position, isOver] = [2 * MANY, false];
    const writing = (async () => {
      for (; !isOver; position += 1) {
        const others = Array.from({ length: 1 + (position % 50) }, (_, value) => ({ key: 'other', value }));
        await commit(position, written(note(1, { key: 'k', value: 1 }, ...others), position));
      }
    })();
    const pages = new Set<number>();
    for (let nth = 0; nth < 100; nth += 1) {
      const { items, total } = await store.models.find(notes, query);
      expect(total).to.equal(items[0]?.entries.length);
      pages.add(total);
    }
    isOver = true;
    await writing;
    expect(pages.size).to.be.above(5);
  });

  it('are answered before the read models are closed, and refused afterwards', async () => {
    const { models, close } = opened(directory.path, FEW);
    const deep = { ...everything, limit: 1, offset: MANY / 2 };
    const asked = models.find(notes, deep);
    await close();
    expect((await asked).items).to.have.length(1);
    const refused = await models.find(notes, deep).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
  });

  it('are refused where nothing is served', async () => {
    const query = { ...everything, limit: 1, offset: MANY / 2 };
    await store.store.withdraw(PROJECTION);
    store.withdrawn?.();
    expect(await store.models.find(notes, query).catch((error: unknown) => error)).to.be.instanceOf(Error);
  });
});
