import { expect } from 'chai';
import { firstEventOf } from '../../src/composition/installation-guard.js';
import { NO_STREAM } from '../../src/core/event-log.js';
import { metadata, newStream, noted } from '../stores/contracts/event-log-fixture.js';
import { letGo, type OnDouble, onDouble } from '../support/eventstoredb/opened.js';

describe('the first event of a log on an EventStoreDB that others use', () => {
  let on: OnDouble;
  const others = (count: number): void => {
    for (let n = 0; n < count; n += 1) on.double.foreign('other-1');
  };
  const first = (): Promise<string | null> => firstEventOf(on.log, new AbortController().signal);

  beforeEach(async () => {
    on = await onDouble();
  });

  afterEach(async () => {
    await letGo(on);
    await on.close();
  });

  it('is found without the events that others wrote before it', async () => {
    others(3000);
    const events = [noted(), noted()];
    await on.log.append(newStream(), NO_STREAM, events, metadata);
    const sent = on.double.tally.sent;
    expect(await first()).to.equal(events[0]?.id);
    // A subscription is told now and then how far the server has looked.
    expect(on.double.tally.sent - sent).to.be.below(200);
  });

  it('is none as long as only others write', async () => {
    others(100);
    expect(await first()).to.equal(null);
  });
});
