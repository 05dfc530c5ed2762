import { expect } from 'chai';
import { join } from 'node:path';
import { type StreamName } from '../../../../src/core/event-log.js';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import { sqliteReadModels } from '../../../../src/stores/sqlite/read-models/reader.js';
import { sqliteReadModelStore } from '../../../../src/stores/sqlite/read-models/writer.js';
import { opened } from './opened.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';
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
  type Note,
} from '../../contracts/read-models-fixture.js';
import { itFindsWhatEachMaySee } from '../../contracts/artifact-histories.contract.js';
import { itFindsWhatQueriesSay } from '../../contracts/tql.contract.js';
import { itKeepsTheReadModelsContract } from '../../contracts/read-models.contract.js';

describe('the read models on SQLite', () => {
  let directory: TemporaryDirectory;

  beforeEach(async () => {
    directory = await temporaryDirectory();
  });

  afterEach(async () => {
    await directory.remove();
  });

  itKeepsTheReadModelsContract(() => Promise.resolve(opened(directory.path)));
  itFindsWhatEachMaySee(() => Promise.resolve(opened(directory.path)), 60);
  itFindsWhatQueriesSay(() => Promise.resolve(opened(directory.path)), 10);

  it('tell whether a projection is served, until it is withdrawn', async () => {
    const [store, models] = [sqliteReadModelStore(directory.path), sqliteReadModels(directory.path)];
    const generation = await store.open(PROJECTION, MODELS, 1);
    const seen = [models.isServing(PROJECTION)];
    await store.serve(PROJECTION, generation);
    models.notice({ projection: PROJECTION, generation, position: null, models: MODELS });
    seen.push(models.isServing(PROJECTION));
    await store.withdraw(PROJECTION);
    models.withdrawn(PROJECTION, MODELS);
    seen.push(models.isServing(PROJECTION));
    await models.close();
    store.close();
    expect(seen).to.deep.equal([false, true, false]);
  });

  it('tell by their stamp also that marks alone came, to a process that gets no reports', async () => {
    const [store, models] = [sqliteReadModelStore(directory.path), sqliteReadModels(directory.path)];
    const { run, commit } = await openRun(store);
    await commit(1, written(note(1), 1));
    await store.serve(PROJECTION, run);
    models.refresh();
    const before = await models.stamp(notes, [1]);
    const mark = { stream: 'note-1' as StreamName, type: 'T', schema: 1, revision: 1, position: at(2), reason: 'r' };
    await store.commit(PROJECTION, run, [], reached(2), [mark]);
    models.refresh();
    expect(await models.stamp(notes, [1])).not.to.equal(before);
    expect([...models.marks(notes.name).values()]).to.deep.equal([mark]);
    await models.close();
    store.close();
  });

  it('hand over by a refresh what was switched or withdrawn since the last one', async () => {
    const [store, models] = [sqliteReadModelStore(directory.path), sqliteReadModels(directory.path)];
    let last: unknown;
    const receive = (documents: readonly Note[] | null) => (last = documents?.map(({ title }) => title));
    await models.subscribe(notes, receive, new AbortController().signal);
    for (const title of ['damaged', 'mended']) {
      const { run, commit } = await openRun(store);
      await commit(1, written({ ...note(1), title }, 1));
      await store.serve(PROJECTION, run);
      models.refresh();
      expect(last).to.deep.equal([title]);
    }
    await store.withdraw(PROJECTION);
    models.refresh();
    expect(last).to.equal(undefined);
    await models.close();
    store.close();
  });

  it('are found again, with what they reflect, after a restart', async () => {
    const before = opened(directory.path);
    const { commit } = await servedRun(before);
    await commit(3, written(note(1, { key: 'k', value: 1 }), 3));
    await before.close();

    const after = opened(directory.path);
    expect(await after.models.caughtUp(PROJECTION, at(3), 0)).to.equal(true);
    const where = [{ type: 'any-of', key: 'k', values: [1] }] as const;
    expect((await after.models.find(notes, { ...everything, where })).total).to.equal(1);
    await after.close();
  });

  it('drop what an interrupted rebuild has left, and only that', async () => {
    const before = opened(directory.path);
    const { run, commit } = await servedRun(before);
    await commit(1, written(note(1), 1));
    const unfinished = await openRun(before.store);
    await unfinished.commit(1, written(note(2), 1));
    await before.close();

    const after = opened(directory.path);
    expect(await after.store.checkpoint(PROJECTION, unfinished.run)).to.equal(null);
    expect(await after.store.serving(PROJECTION)).to.equal(run);
    expect((await after.models.get(notes, 1))?.id).to.equal(1);
    await after.close();
  });

  it('refuse names that are no names of tables', async () => {
    const { store, close } = opened(directory.path);
    const failure: unknown = await store.open(PROJECTION, ['no"tes'], 1).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(await store.serving(PROJECTION)).to.equal(null);
    await close();
  });

  it('verify finds entries and texts that do not belong to documents', async () => {
    const { store, close } = opened(directory.path);
    const { run, commit } = await openRun(store);
    await commit(1, written(note(1, { key: 'k', value: 1 }, { key: 't', text: 'a' }), 1));
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    const file = openDatabase(join(directory.path, 'read-models.sqlite'));
    file.exec(`DELETE FROM documents_${run}_notes`);
    file.close();

    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([
      'notes: 1 index entries without a document',
      'notes: 1 texts without a document',
      'notes: 0 documents, but 1 counted',
    ]);
    await close();
  });

  it('verify finds entries by value that differ from those by document', async () => {
    const { store, close } = opened(directory.path);
    const { run, commit } = await openRun(store);
    await commit(1, written(note(1, { key: 'k', value: 1 }, { key: 'k', value: 2 }), 1));
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    const file = openDatabase(join(directory.path, 'read-models.sqlite'));
    file.exec(`DELETE FROM entries_${run}_notes WHERE value = 2`);
    file.close();

    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([
      'notes: 1 index entries by document alone, or by value alone',
    ]);
    await close();
  });

  it('hand over everything of a run that a read has found before the word of it', async () => {
    const { store, models, close, tell } = opened(directory.path);
    const { commit } = await servedRun({ store, models, tell, close });
    await commit(1, written({ ...note(1), title: 'damaged' }, 1), written(note(2), 1));
    const seen: unknown[] = [];
    const receive = (documents: readonly Note[] | null, complete: boolean) =>
      seen.push([documents?.map(({ id, title }) => [id, title]), complete]);
    await models.subscribe(notes, receive, new AbortController().signal);
    const next = await openRun(store);
    await next.commit(1, written({ ...note(1), title: 'mended' }, 1));
    await store.serve(PROJECTION, next.run);
    expect((await models.get(notes, 1))?.title).to.equal('mended');
    tell({ projection: PROJECTION, generation: next.run, position: at(1), models: MODELS });
    expect(seen.at(-1)).to.deep.equal([[[1, 'mended']], true]);
    await close();
  });

  it('read on where the run they saw has been replaced twice without a word', async () => {
    const { store, models, close, tell } = opened(directory.path);
    const { run, commit } = await servedRun({ store, models, tell, close });
    await commit(1, written(note(1), 1));
    for (const title of ['two', 'three']) {
      const next = await openRun(store);
      await next.commit(1, written({ ...note(1), title }, 1));
      await store.serve(PROJECTION, next.run);
    }
    expect(await store.checkpoint(PROJECTION, run)).to.equal(null);
    expect((await models.get(notes, 1))?.title).to.equal('three');
    await close();
  });
});
