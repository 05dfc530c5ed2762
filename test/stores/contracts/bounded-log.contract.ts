import { expect } from 'chai';
import { boundedLog, storedBytes } from '../../../src/core/logs/bounded-log.js';
import { type EventLog, type NewEvent, NO_STREAM } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { metadata, newStream, noted, rejection } from './event-log-fixture.js';

const MOST = 1_000_000;

/** The one bound on events, whatever the log is kept in. */
export function itHoldsTheBoundOfEvents(given: () => EventLog): void {
  /** Takes so many bytes with its metadata, of characters that take two. */
  const ofSize = (bytes: number): NewEvent => {
    const left = bytes - storedBytes([noted({ text: '' })], metadata);
    return noted({ text: `${'é'.repeat(Math.floor(left / 2))}${'x'.repeat(left % 2)}` });
  };

  describe('an append of a command', () => {
    it('stores an event of 1000000 bytes, and refuses one more byte whole', async () => {
      const log = boundedLog(given());
      const stream = newStream();
      await log.append(stream, NO_STREAM, [ofSize(MOST)], metadata);
      const [event] = (await log.read(stream)).events;
      expect(event && storedBytes([event], event.metadata)).to.equal(MOST);

      const refused = await rejection(log.append(stream, 0, [ofSize(MOST + 1)], metadata));
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'too-large');
      expect(refused).to.have.property('message').that.includes(String(MOST));
      expect((await log.read(stream)).revision).to.equal(0);
    });

    it('counts its events together', async () => {
      const log = boundedLog(given());
      const stream = newStream();
      await log.append(stream, NO_STREAM, [ofSize(MOST / 2), ofSize(MOST / 2)], metadata);
      const refused = await rejection(log.append(stream, 1, [ofSize(MOST / 2), ofSize(MOST / 2 + 1)], metadata));
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'too-large');
      expect((await log.read(stream)).revision).to.equal(1);
    });
  });
}
