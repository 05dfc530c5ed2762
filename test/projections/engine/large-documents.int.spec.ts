import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { artifacts } from '../../../projections/artifacts.js';
import { applyBatch, type Applicable, type Applied } from '../../../projections/engine/apply-batch.js';
import { recentDocuments } from '../../../projections/engine/recent-documents.js';
import { artifactViews, type ArtifactDocument } from '../../../src/artifacts/artifact-view.js';
import { NO_STREAM, UnsupportedEvent, type Event, type Recorded } from '../../../src/core/event-log.js';
import { eventRegistry } from '../../../src/core/event-types.js';
import { NO_MARKS, type Mark } from '../../../src/core/marks.js';
import {
  effect,
  type Change,
  type Projection,
  type ReadModelStore,
  type Stored,
} from '../../../src/core/projection.js';
import { type ReadModel } from '../../../src/core/read-models.js';
import { UnwritableDocument } from '../../../src/core/unwritable-document.js';
import { at } from '../../stores/contracts/read-models-fixture.js';
import { freshWorld, type FreshWorld } from './runner-fixture.js';

type ThingType = 'ThingMade' | 'ThingChanged' | 'ThingSpoilt' | 'ThingBroken';
type ThingEvent = Event<ThingType, { readonly id: number }>;

interface Thing {
  readonly id: number;
  readonly changes: number;
  readonly text: string;
  readonly isSpoilt?: true;
}

interface Tally {
  readonly id: number;
  readonly events: number;
}

const things: ReadModel<Thing> = { name: 'things', category: 'thing', entries: () => [] };
const tallies: ReadModel<Tally> = { name: 'tallies' };
const LARGE = 'x'.repeat(3_000_000);
/** Of them, so many are loaded at once: they are more than 32 MiB. */
const MOST_LOADED = 16;
const FAILING_PART = 6;

/** The documents of things are large. How many events there are is counted in one small document. */
const projection: Projection<ThingEvent> = {
  ...{ name: 'things', version: 1, models: ['tallies', 'things'] },
  when: {
    ThingMade: ({ data: { id } }) => [...counted(), effect(things, id, () => ({ id, changes: 0, text: LARGE }))],
    ThingChanged: ({ data: { id } }) => [
      ...counted(),
      effect(things, id, (thing) => ({ id, text: LARGE, ...thing, changes: (thing?.changes ?? 0) + 1 })),
    ],
    ThingSpoilt: ({ data: { id } }) => [
      ...counted(),
      effect(things, id, (thing) => ({ id, text: LARGE, changes: 0, ...thing, isSpoilt: true as const })),
    ],
    ThingBroken: ({ data: { id } }) => [
      effect(things, id, () => {
        throw new Error('broken');
      }),
    ],
  },
};

function counted() {
  return [effect(tallies, 1, (tally) => ({ id: 1, events: (tally?.events ?? 0) + 1 }))];
}

const METADATA = { actor: 1, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: 'c' };

/** Keeps what it is given as it is: a text that many documents share takes no more memory than one. */
function memoryStore() {
  const documents = new Map<string, Stored>();
  const marks = new Map<string, Mark>();
  let [loaded, most] = [0, 0];
  const nameOf = ({ name }: Pick<Change['model'], 'name'>, id: Change['id']): string => `${name} ${id}`;
  const store = {
    load: (_generation: number, model: Change['model'], ids: readonly Change['id'][]) => {
      const found = ids.flatMap((id) => {
        const stored = documents.get(nameOf(model, id));
        return stored === undefined ? [] : [[id, stored] as const];
      });
      loaded += found.filter(([, { document }]) => document !== null && 'text' in document).length;
      return Promise.resolve(new Map(found));
    },
    commit: (...[, , changes, , marked = []]: Parameters<ReadModelStore['commit']>) => {
      [loaded, most] = [0, Math.max(most, loaded)];
      const spoilt = changes.find(({ document }) => document !== null && 'isSpoilt' in document);
      if (spoilt !== undefined) return Promise.reject(new UnwritableDocument(spoilt, 'spoilt'));
      for (const { model, id, document, position } of changes) {
        const known = documents.get(nameOf(model, id));
        if (known === undefined || known.position < position) documents.set(nameOf(model, id), { document, position });
      }
      for (const mark of marked) marks.set(mark.stream, mark);
      return Promise.resolve();
    },
  } as unknown as ReadModelStore;
  /** Large documents that were loaded for one commit. */
  return { store, documents, marks, most: () => most };
}

/** As a projector does it: until nothing is left of the batch. */
async function applied(
  target: Parameters<typeof applyBatch>[0],
  batches: readonly Applicable[],
  onPart: (part: Applied) => void = () => undefined,
) {
  let progress: Parameters<typeof applyBatch>[1] = { generation: 1, position: null, event: null, marks: NO_MARKS };
  for (const batch of batches) {
    for (let rest: Applicable | null = batch; rest !== null;) {
      const part = await applyBatch(target, progress, rest);
      const { position, event, marks } = part;
      progress = { generation: 1, position, event, marks };
      onPart(part);
      if (part.poison !== null) return { ...progress, poison: part.poison };
      ({ rest } = part);
    }
  }
  return { ...progress, poison: null };
}

const THINGS = 90;

/** The rare ones come rarely enough for the others to fill several parts. What cannot be applied is of another thing. */
const step = fc
  .record({
    id: fc.integer({ min: 1, max: THINGS }),
    kind: fc.oneof(
      { weight: 200, arbitrary: fc.constant('ThingChanged' as const) },
      { weight: 4, arbitrary: fc.constant('ThingSpoilt' as const) },
      { weight: 4, arbitrary: fc.constant('unsupported' as const) },
      { weight: 1, arbitrary: fc.constant('ThingBroken' as const) },
    ),
  })
  .map(({ id, kind }) => ({ kind, id: kind === 'ThingBroken' ? THINGS + 1 : id }));

describe('a batch with large documents', () => {
  it('is applied in parts, and comes to the same as its events one by one', async () => {
    let parts = 0;
    const law = fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 300, size: 'max' }), async (steps) => {
      const revisions = new Map<number, number>();
      const all = steps.map(({ id, kind }, index): Recorded | UnsupportedEvent => {
        const revision = revisions.get(id) ?? 1;
        revisions.set(id, revision + 1);
        const place = { stream: `thing-${id}` as const, revision, position: at(index + 100) };
        if (kind === 'unsupported') return new UnsupportedEvent({ ...place, type: 'ThingSold', schema: 2 });
        return { ...place, type: kind, data: { id }, id: `e${index}`, metadata: METADATA };
      });
      const batchOf = (some: typeof all): Applicable => {
        const events = some.filter((one) => !(one instanceof UnsupportedEvent)) as readonly Recorded[];
        const unsupported = some.filter((one) => one instanceof UnsupportedEvent);
        return { events, unsupported, position: some.at(-1)!.position, event: null };
      };
      const [together, single] = [memoryStore(), memoryStore()];
      for (const { documents } of [together, single]) {
        for (let id = 1; id <= THINGS; id += 1) {
          documents.set(`things ${id}`, { document: { id, changes: 0, text: LARGE } as Thing, position: at(id) });
        }
      }
      const target = { store: together.store, projection, recent: recentDocuments() };
      const whole = await applied(target, [batchOf(all)], () => {
        parts += 1;
      });
      const each = await applied(
        { store: single.store, projection },
        all.map((one) => batchOf([one])),
      );
      expect(together.most()).to.be.at.most(MOST_LOADED);
      expect(together.documents).to.deep.equal(single.documents);
      const places = ({ marks }: typeof single) =>
        [...marks.values()].map(({ stream, position }) => [stream, position]);
      expect([...whole.marks.keys()].sort()).to.deep.equal([...together.marks.keys()].sort());
      expect(whole.poison).to.deep.equal(each.poison);
      // Marks right before what cannot be applied are found again.
      if (whole.poison !== null) return;
      expect(places(together).sort()).to.deep.equal(places(single).sort());
      expect(whole.position).to.equal(all.at(-1)?.position);
    });
    await fc.assert(law, { numRuns: 30 });
    expect(parts).to.be.greaterThan(60);
  });

  it('goes on with the part that has failed', async () => {
    const { store, documents } = memoryStore();
    const events = Array.from({ length: THINGS }, (_, index): Recorded => {
      const id = index + 1;
      documents.set(`things ${id}`, { document: { id, changes: 0, text: LARGE } as Thing, position: at(id) });
      const place = { stream: `thing-${id}` as const, revision: 1, position: at(id + 100) };
      return { ...place, type: 'ThingChanged', data: { id }, id: `e${id}`, metadata: METADATA };
    });
    const batch = { events, position: at(190), event: 'e90' };
    const target = { store, projection, recent: recentDocuments() };
    const first = await applyBatch(target, { generation: 1, position: null, event: null, marks: NO_MARKS }, batch);
    expect(first).to.include({ event: `e${MOST_LOADED}`, events: MOST_LOADED });
    const full = { ...store, commit: () => Promise.reject(new Error('disk full')) };
    const failure = await applyBatch({ ...target, store: full }, { ...first, generation: 1 }, first.rest!).catch(
      String,
    );
    expect(failure).to.equal('Error: disk full');
    let [progress, rest]: [Applied, Applicable | null] = [first, first.rest];
    while (rest !== null) {
      progress = await applyBatch(target, { ...progress, generation: 1 }, rest);
      ({ rest } = progress);
    }
    expect(progress).to.include({ position: at(190), event: 'e90' });
    expect(documents.get('tallies 1')?.document).to.deep.equal({ id: 1, events: 90 });
  });

  it('of an artifact with many revisions that is deleted loads few of its comments at once', async () => {
    const { store, documents } = memoryStore();
    const asked: number[] = [];
    const sums: number[] = [];
    const watched: ReadModelStore = {
      ...store,
      load: (generation, model, ids) => {
        asked.push(ids.length);
        return store.load(generation, model, ids);
      },
    };
    const REVISIONS = 6000;
    const events = [1, 2, 3, 4].map((id): Recorded => {
      const dates = { submittedOn: METADATA.at, lastUpdateOn: METADATA.at, submittedBy: null, lastUpdateBy: null };
      const lists = { limitedBy: [], unasked: [], closedOn: null };
      const document: ArtifactDocument = {
        ...{ id, trackerId: 5, atid: id, revision: REVISIONS - 1, values: {}, ...dates, ...lists },
      };
      documents.set(`${artifactViews.name} ${id}`, { document, position: at(id) });
      const place = { stream: `artifact-${id}` as const, revision: REVISIONS, position: at(id + 100) };
      return {
        ...place,
        type: 'ArtifactDeleted',
        data: { artifactId: id, trackerId: 5 },
        id: `e${id}`,
        metadata: METADATA,
      };
    });
    const target = { store: watched, projection: artifacts };
    const { poison } = await applied(target, [{ events, position: at(104), event: 'e4' }], () => {
      sums.push(asked.reduce((sum, one) => sum + one, 0));
      expect(Math.max(...asked.splice(0))).to.be.at.most(32);
    });
    expect(poison).to.equal(null);
    // Two deletions each.
    expect(sums.map((sum) => Math.round(sum / REVISIONS))).to.deep.equal([2, 2]);
    for (const id of [1, 2, 3, 4]) expect(documents.get(`${artifactViews.name} ${id}`)?.document).to.equal(null);
  });
});

describe('the large documents of a projection', () => {
  let world: FreshWorld;
  beforeEach(async () => {
    world = await freshWorld();
  });
  afterEach(() => world.close());

  const MANY = 40;
  /** With them, the others come in another batch of a filling. */
  const MORE = 500 - MANY;
  const types = eventRegistry({ test: { ThingMade: [], ThingChanged: [], ThingSpoilt: [], ThingBroken: [] } });
  const change = (id: number): ThingEvent => ({ type: 'ThingChanged', data: { id } });
  const ids = Array.from({ length: MANY }, (_, index) => index + 1);

  for (const how of ['filled', 'followed'] as const) {
    it(`are loaded, and ${how}, in parts`, async () => {
      const loads: number[] = [];
      let most = 0;
      const store: ReadModelStore = {
        ...world.store,
        load: async (generation, model, wanted) => {
          const found = await world.store.load(generation, model, wanted);
          if (model.name === things.name) loads.push(found.size);
          return found;
        },
        commit: async (...given) => {
          most = Math.max(
            most,
            loads.splice(0).reduce((sum, one) => sum + one, 0),
          );
          await world.store.commit(...given);
        },
      };
      const append = async (): Promise<void> => {
        await world.append(...ids.map(change));
        await world.append(...Array.from({ length: MORE }, () => change(1)));
        await world.append(...ids.map(change));
      };
      if (how === 'filled') await append();
      const { runner } = world.start([projection], store, types);
      await runner.ready;
      if (how === 'followed') await append();
      expect(await world.models.caughtUp(projection.name, (await world.log.end())!, 20_000)).to.equal(true);
      expect(most).to.equal(MOST_LOADED);
      for (const id of ids) expect((await world.models.get(things, id))?.changes).to.equal(id === 1 ? 2 + MORE : 2);
      expect((await world.models.get(tallies, 1))?.events).to.equal(2 * MANY + MORE);
      const run = (await store.serving(projection.name))!;
      const checkpoint = await store.checkpoint(projection.name, run);
      expect(checkpoint?.event).to.equal(await world.log.eventAt((await world.log.end())!));
    });
  }

  it('are filled, and found sound, although the store fails between two parts', async () => {
    const metadata = { actor: 1, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: randomUUID() };
    const appendTo = (id: number, expected: number, count: number) => {
      const events = Array.from({ length: count }, () => ({ ...change(id), id: randomUUID() }));
      return world.log.append(`test-${id}`, expected, events, metadata);
    };
    for (const id of ids) await appendTo(id, NO_STREAM, 1);
    await appendTo(MANY + 1, NO_STREAM, MORE);
    for (const id of ids) await appendTo(id, 0, 1);
    let parts = 0;
    const store: ReadModelStore = {
      ...world.store,
      load: async (generation, model, wanted) => {
        const isPart = model.name === things.name && wanted.length > 1;
        if (isPart && ++parts === FAILING_PART) throw new Error('The store has failed once');
        return world.store.load(generation, model, wanted);
      },
    };
    const { runner } = world.start([projection], store, types);
    await runner.ready;
    expect(await world.models.caughtUp(projection.name, (await world.log.end())!, 20_000)).to.equal(true);
    expect([parts > FAILING_PART, (await world.models.get(things, MANY))?.changes]).to.deep.equal([true, 2]);
  });
});
