import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { applyBatch } from '../../../projections/engine/apply-batch.js';
import { fillingOf } from '../../../projections/engine/filling/filling.js';
import { NO_STREAM, UnsupportedEvent, type Event, type StreamName } from '../../../src/core/event-log.js';
import { understoodReader } from '../../../src/core/logs/understood-log.js';
import { NO_MARKS, type Mark } from '../../../src/core/marks.js';
import { type ReadModelStore } from '../../../src/core/projection.js';
import { UnwritableDocument } from '../../../src/core/unwritable-document.js';
import { at } from '../../stores/contracts/read-models-fixture.js';
import { added, eventTypes, freshWorld, tallyProjection, type FreshWorld } from './runner-fixture.js';

const doubled: Event = { type: 'Doubled', data: { tally: 1 } };

describe('the marks of a projection', () => {
  let world: FreshWorld;
  const projection = tallyProjection();
  beforeEach(async () => {
    world = await freshWorld();
  });
  afterEach(() => world.close());

  const happen = (stream: StreamName, ...events: readonly Event[]) =>
    world.log.append(
      stream,
      NO_STREAM,
      events.map((event) => ({ ...event, id: randomUUID() })),
      { actor: 1, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: randomUUID() },
    );

  it('are made again where the commit that made them was cut short before its checkpoint', async () => {
    const first = world.start([projection]);
    await first.runner.ready;
    await first.stop();
    const { position, revision } = await happen('test-1', doubled);
    const early: Mark = { stream: 'test-1', type: 'Doubled', schema: 1, revision, position, reason: 'it moved' };
    const marks: ReadModelStore['marks'] = async (...given) => [...(await world.store.marks(...given)), early];
    const second = world.start([projection], { ...world.store, marks });
    await second.runner.ready;
    expect(await world.models.caughtUp(projection.name, position, 10_000)).to.equal(true);
    await second.stop();
    expect([...world.models.marks(projection.name).keys()]).to.deep.equal(['test-1']);
  });

  it('are not gone through by a batch that adds one', async () => {
    const generation = await world.store.open(projection.name, projection.models, projection.version);
    const target = { store: world.store, projection };
    const batch = (n: number) => ({
      ...{ events: [], position: at(n), event: `e${n}` },
      unsupported: [
        new UnsupportedEvent({ stream: `test-${n}`, type: 'Doubled', schema: 1, revision: 0, position: at(n) }),
      ],
    });
    const none = { generation, position: null, event: null, marks: NO_MARKS };
    const first = await applyBatch(target, none, batch(1));
    const entries = () => expect.fail('All marks are gone through');
    Object.defineProperty(first.marks, Symbol.iterator, { value: entries });
    const second = await applyBatch(target, { ...first, generation }, batch(2));
    expect([...second.marks.keys()]).to.deep.equal(['test-1', 'test-2']);
    expect(NO_MARKS.size).to.equal(0);
  });

  it('are found again by a filling that goes back to what it has written', async () => {
    /** No document has a sum of more than 9. */
    const store: ReadModelStore = {
      ...world.store,
      commit: (...given) => {
        const large = given[2].find(
          ({ document }) => document !== null && 'sum' in document && Number(document.sum) > 9,
        );
        return large === undefined
          ? world.store.commit(...given)
          : Promise.reject(new UnwritableDocument(large, 'too large'));
      },
    };
    const generation = await store.open(projection.name, projection.models, projection.version);
    const around = {
      ...{ projection, store, eventTypes, log: understoodReader(world.log, eventTypes) },
      ...{ signal: new AbortController().signal, onRetry: () => undefined, onProgress: () => undefined },
    };
    await happen('test-1', doubled);
    await happen('test-2', doubled);
    const filling = await fillingOf(around, generation);
    await filling.catchUp();
    await happen('test-3', doubled);
    await happen('test-4', added(4, 10));
    const { marks } = await filling.catchUp();
    const all = ['test-1', 'test-2', 'test-3', 'test-4'];
    expect([...marks.keys()].sort()).to.deep.equal(all);
    const stored = await world.store.marks(projection.name, generation);
    expect(stored.map(({ stream }) => stream).sort()).to.deep.equal(all);
  });
});
