import { expect } from 'chai';
import { type Batch, type EventLog } from '../../../src/core/event-log.js';
import { letGo, type OnDouble, onDouble, PATIENT, PREFIX } from '../../support/eventstoredb/opened.js';

const EVENTS = 1500;
const EVENT_BYTES = 20_000;
/** A batch is full at two mebibytes. */
const BATCH = Math.ceil((2 * 1024 * 1024) / EVENT_BYTES);
/** What may be on its way beyond the events handed over, of a log however long: 4 MB, where the whole is 30 MB. */
const AHEAD = 200;

describe('reading slowly from EventStoreDB', () => {
  let on: OnDouble;
  let stop: AbortController;

  beforeEach(async () => {
    // What is read again is sent again.
    on = await onDouble({ timing: PATIENT });
    stop = new AbortController();
    const data = { text: 'x'.repeat(EVENT_BYTES) };
    for (let n = 0; n < EVENTS; n += 1) on.double.foreign(`${PREFIX}note-1`, 'NoteTaken', data);
  });

  afterEach(async () => {
    await letGo(on);
    await on.close();
  });

  /** Resolves once the server waits. */
  const settled = async (): Promise<number> => {
    let [sent, quiet] = [on.double.tally.sent, 0];
    while (quiet < 4) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      quiet = on.double.tally.sent === sent ? quiet + 1 : 0;
      sent = on.double.tally.sent;
    }
    return sent;
  };

  for (const [how, read] of [
    ['the whole log', (log) => log.readAll(null, [], stop.signal)],
    ['a subscription', (log) => log.subscribe(null, [], stop.signal)],
  ] as const satisfies readonly (readonly [string, (log: EventLog) => AsyncIterable<Batch>])[]) {
    it(`keeps the server waiting and holds little, all along ${how}`, async () => {
      const before = on.double.tally.sent;
      let [taken, ahead] = [0, 0];
      for await (const { events } of read(on.log)) {
        expect(events.length).to.be.at.most(BATCH);
        taken += events.length;
        ahead = Math.max(ahead, (await settled()) - before - taken);
        if (taken === EVENTS) stop.abort();
      }
      expect(taken).to.equal(EVENTS);
      expect(ahead).to.be.at.most(AHEAD);
    });
  }
});
