import { expect } from 'chai';
import { type Batch, NO_STREAM } from '../../../src/core/event-log.js';
import { type ReadFault } from '../../support/eventstoredb/faults.js';
import { first, letGo, type OnDouble, onDouble, PATIENT, PREFIX } from '../../support/eventstoredb/opened.js';
import { batchesOf, metadata, newStream, noted } from '../contracts/event-log-fixture.js';

/** Timers may be early by so much, in milliseconds. */
const EARLY = 2;

describe('pauses between tries on EventStoreDB', () => {
  let on: OnDouble;
  const sum = (): number => on.pauses.reduce((total, ms) => total + ms, 0);

  beforeEach(async () => {
    on = await onDouble({ timing: PATIENT });
    expect(PATIENT).to.include({ firstPause: 5, longestPause: 50 });
  });

  afterEach(async () => {
    await letGo(on);
    await on.close();
  });

  it('grow while a subscription fails, confirmed or not, and are short again after an event', async () => {
    const store = () => {
      on.double.foreign(`${PREFIX}note-1`);
    };
    const plan: ReadFault[] = [
      ...Array.from({ length: 7 }, (_, n): ReadFault => ({ after: n % 2, then: 'unavailable' })),
      // After the confirmation, the first event and the word that there is no more: with the second event.
      { after: 4, then: 'unavailable' },
      { after: 1, then: 'unavailable' },
      { after: 0, then: 'unavailable' },
    ];
    on.double.faults.read = (reading) => (reading === 'subscription' ? plan.shift() : undefined);
    store();
    const stop = new AbortController();
    const reading = on.log.subscribe(null, [], stop.signal)[Symbol.asyncIterator]();
    const began = performance.now();
    const revisions: number[] = [];
    for (const count of [1, 2]) {
      const batch = (await reading.next()).value as Batch;
      revisions.push(...batch.events.map(({ revision }) => revision));
      expect(revisions).to.have.length(count);
      store();
    }
    while (plan.length > 0) await reading.next();
    const lasted = performance.now() - began;
    stop.abort();
    await reading.return?.();

    expect(on.pauses).to.deep.equal([5, 10, 20, 40, 50, 50, 50, 5, 10, 20]);
    expect(lasted).to.be.at.least(sum() - EARLY * on.pauses.length);
  });

  it('grow while an append fails, and are short again for the next one', async () => {
    const stream = newStream();
    const began = performance.now();
    for (const [expected, failures] of [
      [NO_STREAM, 5],
      [0, 2],
    ] as const) {
      on.double.faults.append = first(failures, { written: false, then: 'unavailable' });
      await on.log.append(stream, expected, [noted()], metadata);
    }
    expect(on.pauses).to.deep.equal([5, 10, 20, 40, 50, 5, 10]);
    expect(performance.now() - began).to.be.at.least(sum() - EARLY * on.pauses.length);
  });

  it('grow while a reading fails', async () => {
    on.double.faults.read = first(4, { after: 0, then: 'unavailable' });
    await batchesOf(on.log, null);
    expect(on.pauses).to.deep.equal([5, 10, 20, 40]);
  });

  it('begin with a twentieth of a second, unless otherwise set', async () => {
    const usual = await onDouble({ timing: {} });
    usual.pauses.length = 0;
    usual.double.faults.append = first(3, { written: false, then: 'unavailable' });
    await usual.log.append(newStream(), NO_STREAM, [noted()], metadata);
    expect(usual.pauses).to.deep.equal([50, 100, 200]);
    await usual.close();
  });
});
