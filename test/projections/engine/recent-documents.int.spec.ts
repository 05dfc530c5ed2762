import { expect } from 'chai';
import { artifacts } from '../../../projections/artifacts.js';
import { applyBatch } from '../../../projections/engine/apply-batch.js';
import { accountOf, NOTHING, plus, totalOf } from '../../../projections/engine/filling/account.js';
import { writeBehind } from '../../../projections/engine/filling/write-behind.js';
import { recentDocuments } from '../../../projections/engine/recent-documents.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { trackerCounts } from '../../../src/artifacts/tracker-count-view.js';
import { type Recorded } from '../../../src/core/event-log.js';
import { NO_MARKS } from '../../../src/core/marks.js';
import { effect, type Generation, type Projection, type ReadModelStore } from '../../../src/core/projection.js';
import { type ReadModel } from '../../../src/core/read-models.js';
import { sqliteReadModelStore } from '../../../src/stores/sqlite/read-models/writer.js';
import { expectProjected, History, type Step, type Written } from '../../stores/contracts/artifact-histories.js';
import { at } from '../../stores/contracts/read-models-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const form: Step = { type: 'form', tracker: 51, used: [] };
const write = (id: number, values: Written['values'] = {}): Step => ({
  ...{ type: 'write', id, tracker: 51, values, comment: '' },
});
interface Thing {
  readonly id: number;
  readonly text: string;
}

const things: ReadModel<Thing> = {
  ...{ name: 'things', category: 'thing', entries: ({ id }: Thing) => [{ key: 'number', value: id }] },
};
/** Forty of them are more than a filling holds back. */
const thing = (id: number): Thing => ({ id, text: 'x'.repeat(1_000_000) });
const making: Projection<{ readonly type: 'ThingMade'; readonly data: { readonly id: number } }> = {
  ...{ name: 'things', version: 1, models: ['things'] },
  when: { ThingMade: ({ data: { id } }) => [effect(things, id, () => thing(id))] },
};
const made = (id: number): Recorded => ({
  ...{ id: `e${id}`, type: 'ThingMade', data: { id }, stream: `thing-${id}`, revision: 0, position: at(id) },
  metadata: { at: '2026-01-01T12:00:00.000Z', actor: null, schema: 1, commandId: 'c' },
});

const TRACKER = ['artifact-trackers [51]', 'tracker-counts [51]'];

describe('the documents of a batch', () => {
  let directory: TemporaryDirectory;
  let file: ReturnType<typeof sqliteReadModelStore>;
  let run: Generation;
  let loads: string[];
  let isFull: boolean;
  let store: ReadModelStore;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = sqliteReadModelStore(directory.path);
    run = await file.open(artifacts.name, artifacts.models, artifacts.version);
    await file.serve(artifacts.name, run);
    [loads, isFull] = [[], false];
    store = {
      ...file,
      load: (generation, model, ids) => {
        loads.push(`${model.name} ${JSON.stringify(ids)}`);
        return file.load(generation, model, ids);
      },
      commit: (...given) => (isFull ? Promise.reject(new Error('disk full')) : file.commit(...given)),
    };
  });

  afterEach(async () => {
    file.close();
    await directory.remove();
  });

  /** Batches of one event each, and what they load. */
  function follower(steps: readonly Step[]) {
    const history = new History(steps);
    const recent = recentDocuments();
    const loadedBy = async (index: number, generation = run): Promise<readonly string[]> => {
      loads = [];
      const event = history.events[index]!;
      const position = index === 0 ? null : at(index);
      const progress = { generation, position, event: null, marks: NO_MARKS };
      const { poison } = await applyBatch({ store, projection: artifacts, recent }, progress, {
        ...{ events: [event], position: event.position, event: event.id },
      });
      expect(poison).to.equal(null);
      return loads.toSorted();
    };
    return { history, loadedBy };
  }

  it('are loaded by the first one, and later only if they are neither new nor of many streams', async () => {
    const { history, loadedBy } = follower([form, write(1), write(2, { 4: [1] }), write(1, { 4: [2] }), write(1)]);
    expect(await loadedBy(0)).to.deep.equal(['artifact-trackers [51]', 'tracker-labels [51]']);
    // What the first one had nothing of.
    expect(await loadedBy(1)).to.deep.equal(['tracker-counts [51]']);
    expect(await loadedBy(2)).to.deep.equal([]);
    expect(await loadedBy(3)).to.deep.equal(['artifacts [1]']);
    expect(await loadedBy(4)).to.deep.equal(['artifacts [1]']);
    await expectProjected(store, run, history);
  });

  it('are all loaded after one that failed', async () => {
    const { history, loadedBy } = follower([form, write(1), write(2)]);
    await loadedBy(0);
    await loadedBy(1);
    isFull = true;
    const failure = await loadedBy(2).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'disk full');
    isFull = false;
    expect(await loadedBy(2)).to.deep.equal(['artifact-trackers [51]', 'artifacts [2]', 'tracker-counts [51]']);
    await expectProjected(store, run, history);
  });

  it('are all loaded where the one before has left another generation, or another place', async () => {
    const { loadedBy } = follower([form, write(1), write(2), write(3)]);
    for (const index of [0, 1, 2]) await loadedBy(index);
    expect(await loadedBy(1)).to.deep.equal(['artifact-trackers [51]', 'artifacts [1]', 'tracker-counts [51]']);
    const other = await file.open(artifacts.name, artifacts.models, artifacts.version);
    expect(await loadedBy(3, other)).to.include.members(TRACKER);
  });

  it('are all loaded where a worker that lost its lease has written later ones, so that none lacks what it wrote', async () => {
    const steps = [form, write(1), write(1, { 4: [1] }), write(1, { 4: [2] }), write(2)];
    const { history, loadedBy } = follower(steps);
    for (const index of [0, 1]) await loadedBy(index);
    const [two, three] = history.events.slice(2);
    const reached = { generation: run, position: at(2), event: null, marks: NO_MARKS };
    const both = { events: [two!, three!], position: at(4), event: three!.id };
    await applyBatch({ store: file, projection: artifacts }, reached, both);
    expect(await loadedBy(2)).to.include.members(['artifacts [1]', ...TRACKER]);
    for (const index of [3, 4]) await loadedBy(index);
    await expectProjected(store, run, history);
  });

  it('are left as they are by events that they reflect', async () => {
    const { history, loadedBy } = follower([form, write(1), write(1)]);
    for (const index of [0, 1, 2, 2]) await loadedBy(index);
    await expectProjected(store, run, history);
  });

  it('are loaded in the reverse of the order in which they are written', async () => {
    const { loadedBy } = follower([form, write(1), write(2)]);
    await loadedBy(0);
    expect(loads).to.deep.equal(['tracker-labels [51]', 'artifact-trackers [51]']);
    await loadedBy(2);
    expect(loads).to.deep.equal(['artifact-trackers [51]', 'artifacts [2]', 'tracker-counts [51]']);
  });

  for (const isIndexed of [false, true]) {
    const when = isIndexed ? 'once it is indexed' : 'before it is indexed';
    it(`are not taken for new where a filling goes on in smaller batches after one that failed, ${when}`, async () => {
      const filled = await file.open(things.name, [things.name], 1);
      if (isIndexed) await file.verify(things.name, filled, [things.name]);
      const account = accountOf(store);
      const behind = writeBehind(account.store, [things.name]);
      const target = { store: behind.store, projection: making, recent: recentDocuments() };
      const all = Array.from({ length: 40 }, (_, index) => made(index + 1));
      const apply = (from: number, to: number) => {
        const progress = { generation: filled, position: from === 0 ? null : at(from), event: null, marks: NO_MARKS };
        return applyBatch(target, progress, { events: all.slice(from, to), position: at(to), event: `e${to}` });
      };
      isFull = true;
      expect(await apply(0, 40).catch((error: unknown) => error)).to.have.property('message', 'disk full');
      isFull = false;
      for (const [from, to] of [
        [0, 10],
        [10, 20],
        [20, 40],
      ] as const)
        await apply(from, to);
      await behind.flush();
      let kept = NOTHING;
      for await (const slice of file.documents(filled, things.name)) {
        for (const { id, body } of slice) kept = plus(kept, totalOf(id, body));
      }
      expect([kept.documents, account.of(things.name)]).to.deep.equal([40, kept]);
      expect(await file.verify(things.name, filled, [things.name])).to.deep.equal([]);
    });
  }

  it('are not held back beside others that could not be written', async () => {
    let isFull = true;
    const store: ReadModelStore = {
      ...file,
      commit: (...given) => (isFull ? Promise.reject(new Error('disk full')) : file.commit(...given)),
    };
    const filled = await file.open(things.name, [things.name], 1);
    const behind = writeBehind(store, [things.name]);
    const target = { store: behind.store, projection: making, recent: recentDocuments() };
    const apply = (from: number, to: number) => {
      const progress = { generation: filled, position: from === 0 ? null : at(from), event: null, marks: NO_MARKS };
      const events = Array.from({ length: to - from }, (_, index) => made(from + index + 1));
      return applyBatch(target, progress, { events, position: at(to), event: `e${to}` });
    };
    const failure = (from: number, to: number) => apply(from, to).catch((error: unknown) => error);
    expect(await failure(0, 40)).to.have.property('message', 'disk full');
    // All of these are held back already.
    await apply(0, 40);
    for (let tries = 1; tries <= 3; tries += 1) {
      expect(await failure(40, 45)).to.have.property('message', 'disk full');
    }
    isFull = false;
    await apply(40, 45);
    await behind.flush();
    let count = 0;
    for await (const slice of file.documents(filled, things.name)) count += slice.length;
    expect(count).to.equal(45);
  });

  it('are kept up to a size, the latest ones', () => {
    const recent = recentDocuments();
    const place = { generation: 1, position: at(1) };
    const stored = (size: number) => ({ document: { id: 1, text: 'x'.repeat(size) }, position: at(1) });
    const left = (id: number, size: number) => ({ model: trackerCounts, id, stored: stored(size) });
    recent.keep(place, [left(1, 1000), left(2, 20_000_000), { ...left(3, 1000), model: artifactViews }]);
    const known = recent.taken(place, at(1));
    expect([1, 2, 3].map((id) => known?.(trackerCounts, id)?.position)).to.deep.equal([at(1), undefined, undefined]);
    expect(known?.(artifactViews, 3)).to.equal(undefined);
    for (let id = 10; id < 40; id += 1) recent.keep(place, [left(id, 1_000_000)]);
    const latest = recent.taken(place, at(1));
    const ids = [1, 10, 38, 39].filter((id) => latest?.(trackerCounts, id) !== undefined);
    expect(ids).to.deep.equal([38, 39]);
  });
});
