import { expect } from 'chai';
import fc from 'fast-check';
import { type Change, type ReadModelStore } from '../../../../src/core/projection.js';
import { type Document } from '../../../../src/core/read-models.js';
import { projectionDocuments } from '../../../../src/stores/mongodb/projection-documents.js';
import { byModel, parts, writeModel } from '../../../../src/stores/mongodb/read-models/write.js';
import {
  createDocuments,
  documentsOf,
  stored,
  type StoredDocument,
} from '../../../../src/stores/mongodb/read-models/documents.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { targetOf, tcpProxy, through } from '../../../support/tcp-proxy.js';
import { ID, failureOf, place, until, type Place } from './fixture.js';
import {
  at,
  deleted,
  MODELS,
  note,
  notes,
  openRun,
  PROJECTION,
  written,
  type Note,
  reached,
} from '../../contracts/read-models-fixture.js';

const titled = (id: Document['id'], title: string, n: number): Change => written({ ...note(id), title }, n);

forEachMongoDb('writing read models', ({ url }) => {
  let here: Place;
  let store: ReadModelStore;

  beforeEach(async () => {
    here = place(url());
    store = await here.worker();
  });

  afterEach(async () => {
    await here.close();
  });

  /** What is there, by `_id`: a title, null for what is gone. */
  const titles = async (run: number): Promise<Readonly<Record<string, string | null>>> => {
    const rows = await documentsOf(here.db, notes.name, run).find({}).toArray();
    const titleOf = (row: StoredDocument): string | null =>
      'document' in row ? ((row.document as Note).title ?? '') : null;
    return Object.fromEntries(rows.map((row) => [row._id, titleOf(row)]));
  };
  const served = async (): Promise<number> => {
    const { run } = await openRun(store);
    await store.serve(PROJECTION, run);
    return run;
  };
  const commit = (by: ReadModelStore, run: number, n: number, ...changes: readonly Change[]): Promise<void> =>
    by.commit(PROJECTION, run, changes, reached(n));

  it('is refused once another worker has taken over', async () => {
    const run = await served();
    await commit(store, run, 1, titled('a', 'first', 1));
    const filling = await store.open(PROJECTION, MODELS, 2);
    await here.successor();
    const before = await here.state();
    const attempts = [
      () => commit(store, run, 2, titled('a', 'lost', 2)),
      () => commit(store, run, 2),
      () => commit(store, filling, 2, titled('a', 'lost', 2)),
      () => store.open(PROJECTION, MODELS, 2),
      () => store.serve(PROJECTION, filling),
      () => store.discard(PROJECTION, filling, MODELS),
    ];
    for (const attempt of attempts) {
      expect(await failureOf(attempt())).to.have.property('message', `Another worker has taken over ${ID}`);
    }
    expect(await here.state()).to.deep.equal(before);
    expect(await titles(run)).to.deep.equal({ sa: 'first' });
  });

  it('that was under way when another worker took over changes nothing that is newer', async () => {
    const proxy = await tcpProxy(targetOf(here.url));
    const slow = await here.worker(here.connected(through(proxy, here.url)));
    const run = await served();
    await commit(store, run, 1, titled('a', 'first', 1), titled('b', 'first', 1));
    await slow.serving(PROJECTION);
    proxy.delay(100);
    const late = failureOf(
      commit(slow, run, 2, titled('a', 'late', 2), titled('b', 'late', 2), titled('c', 'late', 2)),
    );
    await until(async () => (await here.state()).runs[run]?.changed['notes'] === at(2));
    const next = await here.successor();
    await commit(next, run, 3, titled('a', 'new', 3), deleted('b', 3), deleted('c', 3));

    expect(await late).to.have.property('message', `Another worker has taken over ${ID}`);
    expect(await titles(run)).to.deep.equal({ sa: 'new', sb: null, sc: null });
    expect(await store.checkpoint(PROJECTION, run)).to.deep.equal(reached(3));
    expect(await next.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    await proxy.close();
  });

  it('leaves the latest of each document, in any order and after any earlier writes', async () => {
    // As far as the writer knows. What it knows to be there is there.
    const before = fc.constantFrom<Change['before'][]>(undefined, null, { document: null, position: at(1) });
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      n: fc.integer({ min: 2, max: 6 }),
      isDeleted: fc.boolean(),
      before,
    });
    const batches = fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 4 });
    let run = 0;
    const property = fc.asyncProperty(batches, async (all) => {
      run += 1;
      await documentsOf(here.db, notes.name, run).insertOne(stored(titled('b', 'there', 1)));
      const latest = new Map<string, { readonly n: number; readonly title: string | null }>([
        ['sb', { n: 1, title: 'there' }],
      ]);
      for (const batch of all) {
        const changes = batch.map(({ id, n, isDeleted, before }) => ({
          ...(isDeleted ? deleted(id, n) : titled(id, `${n}`, n)),
          before: id === 'b' ? before : before && null,
        }));
        for (const { id, n, isDeleted } of batch) {
          if ((latest.get(`s${id}`)?.n ?? 0) < n) latest.set(`s${id}`, { n, title: isDeleted ? null : `${n}` });
        }
        for (const [model, changed] of byModel(changes)) {
          await writeModel(documentsOf(here.db, model, run), changed);
        }
      }
      expect(await titles(run)).to.deep.equal(Object.fromEntries([...latest].map(([_id, { title }]) => [_id, title])));
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it('leaves the latest of each document where two workers write at once', async () => {
    const change = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), n: fc.integer({ min: 1, max: 9 }) });
    const work = fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 4 });
    let run = 0;
    const property = fc.asyncProperty(work, work, async (one, other) => {
      run += 1;
      await createDocuments(here.db, notes.name, run);
      const write = async (all: typeof one): Promise<void> => {
        for (const batch of all) {
          const changes = batch.map(({ id, n }) => (n % 3 === 0 ? deleted(id, n) : titled(id, `${n}`, n)));
          for (const [model, changed] of byModel(changes)) {
            await writeModel(documentsOf(here.db, model, run), changed);
          }
        }
      };
      await Promise.all([write(one), write(other)]);
      const last = new Map<string, number>();
      for (const { id, n } of [...one, ...other].flat()) last.set(`s${id}`, Math.max(n, last.get(`s${id}`) ?? 0));
      const titleOf = (n: number): string | null => (n % 3 === 0 ? null : `${n}`);
      expect(await titles(run)).to.deep.equal(Object.fromEntries([...last].map(([_id, n]) => [_id, titleOf(n)])));
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it('that was cut short is done again', async () => {
    const proxy = await tcpProxy(targetOf(here.url));
    const far = await here.worker(here.connected(through(proxy, here.url)));
    const run = await served();
    await commit(far, run, 1, titled('a', 'first', 1));
    proxy.delay(100);
    const changes = [titled('a', 'second', 2), titled('b', 'second', 2)];
    const cut = commit(far, run, 2, ...changes).then(
      () => 'done',
      () => 'failed',
    );
    await until(async () => (await titles(run))['sb'] === 'second');
    proxy.cut();

    // Where writes are retryable, the driver may do the rest by itself.
    const outcome = await cut;
    const left = { failed: at(1), done: at(2) }[outcome];
    expect((await here.state()).runs[run]).to.deep.include({ position: left, changed: { notes: at(2) } });
    proxy.delay(0);
    if (outcome === 'failed') await commit(far, run, 2, ...changes);
    expect((await here.state()).runs[run]).to.include({ position: at(2) });
    expect(await titles(run)).to.deep.equal({ sa: 'second', sb: 'second' });
    expect(await store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
    await proxy.close();
  });

  it('puts a document where an earlier one is gone, as after the fall of a primary that alone had stored it', async () => {
    const run = await served();
    await commit(store, run, 1, titled('a', 'first', 1), titled('b', 'first', 1));
    const before = (await store.load(run, notes, ['a', 'b'])).get('a')!;
    await documentsOf(here.db, notes.name, run).deleteOne({ _id: 'sa' });
    const changes = [titled('a', 'second', 2), titled('b', 'second', 2)].map((change) => ({ ...change, before }));
    await commit(store, run, 2, ...changes);
    expect(await titles(run)).to.deep.equal({ sa: 'second', sb: 'second' });
  });

  it('that was cut short is told to followers when another worker has only the checkpoint left to move', async () => {
    const run = await served();
    await commit(store, run, 1, titled('a', 'first', 1));
    const reader = await here.reader();
    const seen: string[] = [];
    const enough = new AbortController();
    const receive = (documents: readonly Note[] | null): void => {
      seen.push(...(documents ?? []).map(({ title = '' }) => title));
    };
    await reader.subscribe(notes, receive, enough.signal);
    const projections = projectionDocuments(here.db);
    await projections.updateOne({ _id: ID }, { $set: { [`runs.${run}.changed.notes`]: at(3) } });
    for (const [model, changed] of byModel([titled('a', 'second', 3)])) {
      await writeModel(documentsOf(here.db, model, run), changed);
    }
    const next = await here.successor();
    await commit(next, run, 2);
    await commit(next, run, 4);

    expect(await reader.caughtUp(PROJECTION, at(4))).to.equal(true);
    expect(new Set(seen)).to.deep.equal(new Set(['first', 'second']));
    expect((await here.state()).runs[run]).to.include({ position: at(4) });
    enough.abort();
  });

  it('takes the last of what is said of a document, and the first of two at the same position', async () => {
    const run = await served();
    await commit(
      store,
      run,
      3,
      titled('a', 'later', 2),
      titled('a', 'earlier', 1),
      deleted('b', 3),
      titled('b', '', 3),
    );
    expect(await titles(run)).to.deep.equal({ sa: 'later', sb: null });
  });

  it('saves a checkpoint by itself without a word on a commit that is under way', async () => {
    const run = await served();
    await Promise.all([
      commit(store, run, 5, ...Array.from({ length: 200 }, (_, id) => titled(`${id}`, 'new', 5))),
      commit(store, run, 4),
    ]);
    expect((await here.state()).runs[run]).to.include({ position: at(5) });
  });

  it('keeps what is written to the last character', async () => {
    const run = await served();
    const reader = await here.reader();
    const strange = {
      id: 'a.b$c\0\u0001"\ud800',
      entries: [
        { key: '$k.0', value: 'v.$\0' },
        { key: '', value: 2 ** 53 + 2 },
        { key: '\u0001', text: 'T.\0' },
      ],
      'a.b': { $set: 1 },
      $where: [2 ** 64, -0.1, 1e-300, '\0', '\ud83d\ude00'],
    };
    await commit(store, run, 1, written(strange, 1), titled(2 ** 60, 'big', 1), titled(-1.5, 'small', 1));
    expect(await reader.caughtUp(PROJECTION, at(1))).to.equal(true);

    const read = await reader.get(notes, strange.id);
    expect(JSON.stringify(read)).to.equal(JSON.stringify(strange));
    expect((await reader.get(notes, 2 ** 60))?.title).to.equal('big');
    expect((await reader.get(notes, -1.5))?.title).to.equal('small');
    const where = [
      { type: 'any-of', key: '$k.0', values: ['v.$\0'] },
      { type: 'range', key: '', above: 2 ** 53 },
      { type: 'contains', key: '\u0001', text: 't.' },
    ] as const;
    const query = { where, direction: 'asc', limit: 10, offset: 0 } as const;
    expect(await reader.find(notes, query)).to.deep.equal({ items: [read], total: 1 });
    const ids = (await reader.find(notes, { ...query, where: [] })).items.map(({ id }) => id);
    expect(ids).to.deep.equal([-1.5, 2 ** 60, strange.id]);
  });
});

describe('parts of a commit to MongoDB', () => {
  const documents = (n: number, length: number): readonly StoredDocument[] =>
    Array.from({ length: n }, (_, id) => stored(titled(id, 'x'.repeat(length), 1)));

  it('are neither too many documents nor too large', () => {
    expect([...parts(documents(1200, 1))].map((part) => part.length)).to.deep.equal([500, 500, 200]);
    expect([...parts(documents(5, 1_500_000))].map((part) => part.length)).to.deep.equal([2, 2, 1]);
  });

  it('take one document, however large it is', () => {
    expect([...parts(documents(2, 5_000_000))].map((part) => part.length)).to.deep.equal([1, 1]);
    expect([...parts([])]).to.deep.equal([]);
  });
});
