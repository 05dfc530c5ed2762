import { join } from 'node:path';
import { expect } from 'chai';
import { StoreFault } from '../../../../src/core/projection.js';
import { openReadModelFile, type ReadModelFile } from '../../../../src/stores/sqlite/read-models/file.js';
import { freeBytes } from '../../../../src/stores/sqlite/read-models/room/beside-served.js';
import { readModelStore } from '../../../../src/stores/sqlite/read-models/writer.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';
import { rejection } from '../../contracts/event-log-fixture.js';
import { MODELS, note, notes, openRun, PROJECTION, written } from '../../contracts/read-models-fixture.js';

/** Of the disk, whatever the write-ahead log holds. */
const KEPT_FREE = 32 * 1024 * 1024;

describe('a generation on SQLite that is filled beside a served one', () => {
  let directory: TemporaryDirectory;
  let file: ReadModelFile;
  let store: ReturnType<typeof readModelStore>;
  let free: number;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = openReadModelFile(directory.path, 'write');
    free = Infinity;
    store = readModelStore(file, { free: () => free });
    await store.serve(PROJECTION, (await openRun(store)).run);
  });
  afterEach(async () => {
    store.close();
    await directory.remove();
  });

  const fault = async (work: Promise<unknown>): Promise<string> => {
    const error = await rejection(work);
    expect(error).to.be.instanceOf(StoreFault);
    return (error as StoreFault).message;
  };

  it('leaves room for the write-ahead log, too, when it is written', async () => {
    const { commit } = await openRun(store, 2);
    free = KEPT_FREE + file.growth() - 1;
    expect(file.growth()).to.be.above(1);
    expect(await fault(commit(1, written(note(1), 1)))).to.include('the disk is too full');
    free += 1024 * 1024;
    await commit(1, written(note(1), 1));
  });

  it('leaves room on the disk when it is indexed', async () => {
    const { run, commit } = await openRun(store, 2);
    await commit(1, written(note(1), 1));
    free = KEPT_FREE - 1;
    expect(await fault(store.verify(PROJECTION, run, MODELS))).to.include('the disk is too full');
  });

  it('is at fault by itself where it is damaged', async () => {
    const { run, commit } = await openRun(store, 2);
    await commit(1, written(note(1), 1));
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    file.sql(`UPDATE documents_${run}_${notes.name} SET body = '{'`).run();
    expect(await fault(commit(2, written(note(1), 2)))).to.include('are damaged');
  });

  it('has all the room of a file system that says nothing of its room', () => {
    expect(freeBytes(directory.path)).to.be.within(1, Number.MAX_SAFE_INTEGER);
    for (const silent of [join(directory.path, 'none'), '/proc']) expect(freeBytes(silent)).to.equal(Infinity);
  });
});
