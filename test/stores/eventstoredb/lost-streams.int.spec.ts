import { expect } from 'chai';
import { NO_STREAM, type StreamName } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { needsOperator } from '../../../src/stores/eventstoredb/errors.js';
import { type DoubleLog } from '../../support/eventstoredb/double-log.js';
import { first, letGo, type OnDouble, onDouble, PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { metadata, newStream, noted, rejection } from '../contracts/event-log-fixture.js';

const LOST = [
  [
    'was emptied by $maxAge',
    (log, stream) => {
      log.truncate(stream, 3);
    },
    'it exists, but shows no event',
  ],
  [
    'was truncated',
    (log, stream) => {
      log.truncate(stream, 2);
    },
    'it has no event before revision 2',
  ],
  [
    'was deleted',
    (log, stream) => {
      log.delete(stream);
    },
    'it was deleted',
  ],
  [
    'was deleted and written to again',
    (log, stream) => {
      log.delete(stream);
      log.append(stream, NO_STREAM, [log.entries[1]!]);
    },
    'it has no event before revision 3',
  ],
  [
    'was tombstoned',
    (log, stream) => {
      log.tombstone(stream);
    },
    'the stream is tombstoned',
  ],
] as const satisfies readonly (readonly [string, (log: DoubleLog, stream: string) => void, string])[];

describe('a stream on EventStoreDB that an operator has shortened', () => {
  let on: OnDouble;
  let stream: StreamName;

  beforeEach(async () => {
    // So long that a busy machine answers in time: nothing here is to be tried again.
    on = await onDouble({ timing: { ...SHORT, call: 2000, patience: 8000 } });
    stream = newStream();
    await on.log.append(stream, NO_STREAM, [noted(), noted(), noted()], metadata);
  });

  afterEach(async () => {
    await letGo(on);
    await on.close();
  });

  const expectLost = (error: unknown, reason: string): void => {
    expect(error).to.be.instanceOf(Problem).that.includes({ kind: 'unavailable', retryAfter: 60 });
    expect((error as Problem).message).to.contain(`lost events of the stream ${stream}: ${reason}`);
  };

  for (const [title, shorten, reason] of LOST) {
    it(`is unavailable, named and not tried again, where it ${title}`, async () => {
      shorten(on.double.log, `${PREFIX}${stream}`);
      for (let time = 0; time < 2; time += 1) {
        expectLost(await rejection(on.log.read(stream)), reason);
        // Nobody else notices.
        expect((await on.log.append(newStream(), NO_STREAM, [noted()], metadata)).revision).to.equal(0);
        expect(await on.log.end()).not.to.equal(null);
      }
      // Told each time, and not before another try.
      expect(on.errors.map(needsOperator)).to.deep.equal([true, true]);
      for (const error of on.errors) expectLost(error, reason);
    });
  }

  it('takes no append where it was tombstoned', async () => {
    on.double.log.tombstone(`${PREFIX}${stream}`);
    expectLost(await rejection(on.log.append(stream, 2, [noted()], metadata)), 'the stream is tombstoned');
  });

  it('does not keep others from being read where it was tombstoned', async () => {
    const end = await on.log.end();
    on.double.log.tombstone(`${PREFIX}${stream}`);
    expect(await on.log.end()).to.equal(end);
    const after = noted();
    await on.log.append(newStream(), NO_STREAM, [after], metadata);
    on.double.log.scavenge();
    for (const reading of [on.log.readAll(null, []), on.log.subscribe(null, [], AbortSignal.timeout(5000))]) {
      const seen: string[] = [];
      for await (const { events } of reading) {
        seen.push(...events.map(({ id }) => id));
        if (seen.includes(after.id)) break;
      }
      expect(seen).to.deep.equal([after.id]);
    }
  });

  it('is still delivered until it is scavenged, and what comes after it then', async () => {
    on.double.log.delete(`${PREFIX}${stream}`);
    const after = noted();
    await on.log.append(newStream(), NO_STREAM, [after], metadata);
    const ids = async (): Promise<readonly string[]> => {
      const seen: string[] = [];
      for await (const { events } of on.log.readAll(null, [])) seen.push(...events.map(({ id }) => id));
      return seen;
    };
    expect(await ids()).to.have.length(4);
    on.double.log.scavenge();
    expect(await ids()).to.deep.equal([after.id]);
  });

  it('is read where only one look at it shows nothing', async () => {
    on.double.faults.read = first(1, { after: 0, then: 'end' });
    expect((await on.log.read(stream)).revision).to.equal(2);
    expect(on.errors.filter(needsOperator)).to.deep.equal([]);
  });

  it('is as good as new where it was never written to', async () => {
    expect(await on.log.read(newStream())).to.deep.equal({ events: [], revision: NO_STREAM });
  });
});

describe('a call of EventStoreDB that is given up', () => {
  let on: OnDouble;

  beforeEach(async () => {
    on = await onDouble({ timing: { ...SHORT, coolDown: 60_000 } });
  });

  afterEach(async () => {
    await on.close();
  });

  const fails = (stream: StreamName) => (asked: string) =>
    asked === `${PREFIX}${stream}` ? ({ written: false, then: 'silence' } as const) : undefined;

  it('stops no other call, as long as the server answers others', async () => {
    const slow = newStream();
    on.double.faults.append = fails(slow);
    const giving = rejection(on.log.append(slow, NO_STREAM, [noted()], metadata));
    const over = new AbortController();
    const next = giving.then(() => {
      over.abort();
      return on.log.append(newStream(), NO_STREAM, [noted()], metadata);
    });
    while (!over.signal.aborted) await on.log.append(newStream(), NO_STREAM, [noted()], metadata);
    expect(await giving)
      .to.be.instanceOf(Problem)
      .with.property('kind', 'unavailable');
    expect((await next).revision).to.equal(0);
  });

  it('stops all others for a while where no call had an answer', async () => {
    on.double.faults.append = () => ({ written: false, then: 'silence' });
    await rejection(on.log.append(newStream(), NO_STREAM, [noted()], metadata));
    on.double.faults.append = undefined;
    let reads = 0;
    on.double.faults.read = () => {
      reads += 1;
      return undefined;
    };
    expect(await rejection(on.log.read(newStream()))).to.be.instanceOf(Problem);
    expect(reads).to.equal(0);
  });
});
