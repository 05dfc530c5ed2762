import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { type Mark } from '../../../../src/core/marks.js';
import { type Change, type Generation, type ReadModelStore } from '../../../../src/core/projection.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { at, authors, MODELS, note, notes, PROJECTION, reached, written } from '../../contracts/read-models-fixture.js';
import { place, type Place } from './fixture.js';

const RECORD = new URL('../../../../docs/decisions/0037-own-commits-and-limits-on-servers.md', import.meta.url);

/** The number that the record's table of commits says first in this row. */
function saidOf(row: string): number {
  const [, number] = new RegExp(`^\\| ${row} \\| (\\d+)`, 'm').exec(readFileSync(RECORD, 'utf8')) ?? [];
  return Number(number);
}

const EMPTY = saidOf('a position without changes');
const SERVED = saidOf('documents of a generation that is served');
const LESS_WHILE_FILLED = saidOf('the same while a generation is filled');
const MARKED = saidOf('a stream that is marked');

forEachMongoDb('the round trips of a commit', ({ url }) => {
  let here: Place;
  let client: MongoClient;
  let store: ReadModelStore;
  let run: Generation;
  let underWay: number;
  let roundTrips: number;

  beforeEach(async () => {
    here = place(url());
    client = new MongoClient(here.url, { monitorCommands: true });
    [underWay, roundTrips] = [0, 0];
    // What is asked while something else is under way goes beside it.
    client.on('commandStarted', () => {
      if (underWay === 0) roundTrips += 1;
      underWay += 1;
    });
    for (const over of ['commandSucceeded', 'commandFailed'] as const) client.on(over, () => (underWay -= 1));
    store = await here.worker(client.db(here.db.databaseName));
    run = await store.open(PROJECTION, MODELS, 1);
    await store.serve(PROJECTION, run);
    // A second connection that has to be opened would take longer than what goes by the first.
    await Promise.all([1, 2, 3].map(() => client.db().command({ ping: 1 })));
  });

  afterEach(async () => {
    await client.close();
    await here.close();
  });

  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    const before = roundTrips;
    await work();
    return roundTrips - before;
  };
  const commit = (generation: Generation, n: number, changes: readonly Change[], marks: readonly Mark[] = []) =>
    counted(() => store.commit(PROJECTION, generation, changes, reached(n), marks));
  /** Of notes that are there up to an id. */
  const change = (ids: readonly number[], n: number, last = 0): readonly Change[] =>
    ids.map((id) => ({ ...written(note(id), n), before: id <= last ? written(note(id), n - 1) : null }));
  const ofBoth = (id: number, n: number): readonly Change[] => [
    written(note(id), n),
    { model: authors, id, document: { id }, position: at(n) },
  ];
  const mark = (id: number, n: number): Mark => ({
    ...{ stream: `note-${id}`, type: 'Newer', schema: 2, revision: 0, position: at(n), reason: 'of a newer release' },
  });

  it('without changes is that of the checkpoint', async () => {
    expect(await commit(run, 1, [])).to.equal(EMPTY);
  });

  it('with documents has one more for each read model that is written, and each of which some are loaded', async () => {
    expect(await counted(() => store.load(run, notes, [1, 2]))).to.equal(1);
    expect(await commit(run, 1, change([1, 2], 1))).to.equal(SERVED + 1);
    // New ones and changed ones.
    expect(await commit(run, 2, change([1, 2, 3, 4], 2, 2))).to.equal(SERVED + 1);
    expect(await commit(run, 3, ofBoth(5, 3))).to.equal(SERVED + 2);
  });

  it('of a generation that is filled has fewer', async () => {
    const filled = await store.open(PROJECTION, MODELS, 1);
    expect(await commit(filled, 1, change([1, 2], 1))).to.equal(SERVED + 1 - LESS_WHILE_FILLED);
    expect(await commit(filled, 2, ofBoth(3, 2))).to.equal(SERVED + 2 - LESS_WHILE_FILLED);
    expect(await commit(filled, 3, [])).to.equal(EMPTY);
  });

  it('with streams that are marked has more for each', async () => {
    expect(await commit(run, 1, [], [mark(1, 1), mark(2, 1)])).to.equal(EMPTY + 2 * MARKED);
    expect(await commit(run, 2, change([1], 2), [mark(3, 2)])).to.equal(SERVED + 1 + MARKED);
  });
});
