import { expect } from 'chai';
import { sampleOf, SAMPLED_STREAMS } from '../../../projections/engine/filling/sample.js';
import { type EventReader, type Recorded, type StreamName } from '../../../src/core/event-log.js';
import { added, freshWorld, tallyProjection, unrelated, type FreshWorld } from './runner-fixture.js';

describe('a sample of streams', () => {
  let world: FreshWorld;
  beforeEach(async () => {
    world = await freshWorld();
  });
  afterEach(() => world.close());

  const everything = async (): Promise<readonly Recorded[]> => {
    const all: Recorded[] = [];
    for await (const { events } of world.log.readAll(null, [])) all.push(...events);
    return all;
  };

  it('finds an event of the log that a filling has not seen, up to where it is', async () => {
    await world.append(added(1, 1), added(1, 2), unrelated);
    const [first, second, third] = await everything();
    const sample = sampleOf(tallyProjection());
    sample.see([first!]);
    expect(await sample.check(world.log, first!.position)).to.deep.equal([]);
    const reason = `${first!.stream} has revision 1, but was seen up to 0 only`;
    expect(await sample.check(world.log, third!.position)).to.deep.equal([reason]);
    sample.see([second!]);
    expect(await sample.check(world.log, third!.position)).to.deep.equal([]);
    // A filling that goes back comes upon the same again.
    sample.see([first!]);
    expect(await sample.check(world.log, third!.position)).to.deep.equal([]);
  });

  it('reads no event that the filling has seen, and no data', async () => {
    await world.append(...Array.from({ length: 250 }, () => unrelated), added(1, 1), added(1, 2));
    const all = await everything();
    const asked: unknown[][] = [];
    const log: Pick<EventReader, 'places'> = {
      places: async (stream, after, most) => {
        const places = await world.log.places(stream, after, most);
        asked.push([after, places.length]);
        for (const place of places) expect(place).to.have.keys('id', 'type', 'stream', 'revision', 'position');
        return places;
      },
    };
    const whole = sampleOf(tallyProjection());
    whole.see(all);
    expect(await whole.check(log, all.at(-1)!.position)).to.deep.equal([]);
    expect(asked.splice(0)).to.deep.equal([[251, 0]]);

    const partial = sampleOf(tallyProjection());
    partial.see([{ ...all[0]!, type: 'Added' }]);
    expect(await partial.check(log, all.at(-1)!.position)).to.have.length(1);
    expect(asked).to.deep.equal([
      [0, 100],
      [100, 100],
      [200, 51],
    ]);
  });

  it('is of some streams, however many there are, and passes over those that cannot be read', async () => {
    const [event] = await (async () => {
      await world.append(added(1, 1));
      return everything();
    })();
    const sample = sampleOf(tallyProjection());
    const read: StreamName[] = [];
    for (let n = 0; n < 10 * SAMPLED_STREAMS; n += 1) sample.see([{ ...event!, stream: `test-${n}` }]);
    const log = {
      places: (stream: StreamName) => {
        read.push(stream);
        return stream.endsWith('1') ? Promise.reject(new Error('gone')) : world.log.places(stream, 0, 1);
      },
    };
    expect(await sample.check(log, event!.position)).to.deep.equal([]);
    expect(read.length).to.be.within(1, SAMPLED_STREAMS);
  });
});
