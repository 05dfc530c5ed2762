import { expect } from 'chai';
import { type StreamName } from '../../src/core/event-log.js';
import { markedReadModels } from '../../src/core/marked-read-models.js';
import { type Mark } from '../../src/core/marks.js';
import { type Query, type ReadModel, type ReadModels } from '../../src/core/read-models.js';
import { sqliteReadModels, type SqliteReadModels } from '../../src/stores/sqlite/read-models/reader.js';
import { sqliteReadModelStore } from '../../src/stores/sqlite/read-models/writer.js';
import { at, reached } from '../stores/contracts/read-models-fixture.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

interface Thing {
  readonly id: number;
  readonly text: string;
}

const goneThings: ReadModel<Thing> = { name: 'gone-things', category: 'thing' };
const things: ReadModel<Thing> = {
  ...{ name: 'things', category: 'thing', gone: goneThings },
  entries: ({ id }) => [
    { key: 'kind', value: 1 },
    { key: 'odd', value: id % 2 },
  ],
};
const ofKind: Query = {
  where: [{ type: 'any-of', key: 'kind', values: [1] }],
  scope: { key: 'kind', value: 1 },
  ...{ direction: 'asc', limit: 10, offset: 0 },
};
/** Thing 2 is the only one on it, if 1 and 3 are as they were. */
const even: Query = { ...ofKind, where: [{ type: 'any-of', key: 'odd', values: [0] }] };
const mark = (stream: StreamName, schema: number | null = 2): Mark => ({
  ...{ stream, type: 'Moved', schema, revision: 1, position: at(1), reason: 'it moved' },
});

describe('read models with marks', () => {
  let directory: TemporaryDirectory;
  let file: SqliteReadModels;

  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    await file.close();
    await directory.remove();
  });

  /** Things 1 to 3, of which not all fit into a slice. Thing 4 was deleted. */
  async function marked(...marks: readonly Mark[]): Promise<ReadModels> {
    const store = sqliteReadModelStore(directory.path);
    const run = await store.open('things', [goneThings.name, things.name], 1);
    const changes = [4, 1, 2, 3].map((id) => {
      const document = { id, text: 'x'.repeat(200_000) };
      return { model: id === 4 ? goneThings : things, id, document, position: at(1), before: null };
    });
    await store.commit('things', run, changes, reached(1), marks);
    await store.serve('things', run);
    store.close();
    file = sqliteReadModels(directory.path);
    return markedReadModels(file);
  }
  const idsOf = (items: readonly Thing[]): readonly number[] => items.map(({ id }) => id);

  it('refuse a page that a marked document may be on', async () => {
    const models = await marked(mark('thing-9'));
    expect(await rejection(models.find(things, ofKind))).to.include({ kind: 'unavailable' });
  });

  it('refuse no page whose documents are known without the marked one', async () => {
    const models = await marked(mark('thing-3'));
    expect(idsOf((await models.find(things, { ...ofKind, limit: 2 })).items)).to.deep.equal([1, 2]);
    const ofAnother: Query = { ...even, scope: { key: 'kind', value: 2 } };
    expect(idsOf((await models.find(things, ofAnother)).items)).to.deep.equal([2]);
  });

  it('refuse a page that a marked document was not on, and may be on by now, if its reader sees it', async () => {
    const models = await marked(mark('thing-3'));
    expect(await rejection(models.find(things, even))).to.include({ kind: 'unavailable' });
    expect(idsOf((await models.find(things, even, ({ id }) => id !== 3)).items)).to.deep.equal([2]);
  });

  it('refuse a page with a marked document on it, if its reader sees it', async () => {
    const models = await marked(mark('thing-3'));
    expect(await rejection(models.find(things, ofKind))).to.include({ kind: 'unavailable' });
    expect(idsOf((await models.find(things, ofKind, ({ id }) => id !== 3)).items)).to.deep.equal([1, 2, 3]);
  });

  it('know that a document was deleted before its stream was marked', async () => {
    const models = await marked(mark('thing-4'), mark('thing-5', null));
    expect(await models.get(things, 4)).to.equal(null);
    expect(idsOf(await models.getMany(things, [2, 4]))).to.deep.equal([2]);
    expect(idsOf((await models.find(things, even)).items)).to.deep.equal([2]);
    expect(await rejection(models.get(things, 5))).to.include({ kind: 'unavailable' });
  });

  it('go by the marks of the streams that they are made from', async () => {
    const models = await marked(mark('other-9'));
    expect(idsOf((await models.find(things, ofKind)).items)).to.deep.equal([1, 2, 3]);
  });

  it('lack no document behind an event that this release understands', async () => {
    const models = await marked(mark('thing-9', null));
    expect(idsOf((await models.find(things, ofKind)).items)).to.deep.equal([1, 2, 3]);
  });

  it('refuse what is read of a slice alone, if its reader sees it', async () => {
    const models = await marked(mark('thing-3'));
    const unseen = ({ id }: Thing): boolean => id !== 3;
    const { items, rest } = await models.getSlice(things, [1, 2, 3], unseen);
    expect([idsOf(items), rest]).to.deep.equal([[1, 2], [3]]);
    expect(idsOf((await models.getSlice(things, [3], unseen)).items)).to.deep.equal([3]);
    expect(await rejection(models.getSlice(things, [3]))).to.include({ kind: 'unavailable' });
  });

  it('look through few of many marks for a page', async () => {
    await marked();
    let seen = 0;
    const counted = function* <T>(all: Iterable<T>): Generator<T, undefined> {
      for (const one of all) {
        seen += 1;
        yield one;
      }
      return undefined;
    };
    class ManyMarks extends Map<StreamName, Mark> {
      override values = () => counted(super.values());
      override [Symbol.iterator] = () => counted(super.entries());
    }
    const many = new ManyMarks();
    for (let id = 4; id < 1000; id += 1) many.set(`thing-${id}`, mark(`thing-${id}`));
    const models = markedReadModels({ ...file, marks: () => many });
    const anywhere: Query = { where: ofKind.where, direction: 'asc', limit: 10, offset: 0 };
    expect(idsOf((await models.find(things, anywhere)).items)).to.deep.equal([1, 2, 3]);
    expect(seen).to.equal(0);
    expect(await rejection(models.find(things, ofKind))).to.include({ kind: 'unavailable' });
    expect(seen).to.be.within(1, 101);
  });
});
