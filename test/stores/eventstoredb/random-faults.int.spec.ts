import { expect } from 'chai';
import fc from 'fast-check';
import { NO_STREAM, type Recorded } from '../../../src/core/event-log.js';
import { type DoubleOptions } from '../../support/eventstoredb/double.js';
import { type AppendFault, type ReadFault } from '../../support/eventstoredb/faults.js';
import { FAR, letGo, onDouble, PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { metadata, newStream, noted } from '../contracts/event-log-fixture.js';

const append = fc.record<AppendFault>({
  written: fc.boolean(),
  then: fc.constantFrom('unavailable', 'aborted', 'cancelled', 'internal', 'silence'),
});

/** A conflict answered falsely, or an answer without a position, is so only for what is stored. */
const storedThen = fc.record<AppendFault>({
  written: fc.constant(true),
  then: fc.constantFrom('conflict', 'no-position', 'late'),
});

const read = fc.oneof(
  fc.record<ReadFault>({
    after: fc.nat(12),
    then: fc.constantFrom('unavailable', 'aborted', 'cancelled', 'internal', 'silence'),
  }),
  // A stream that ends in order, time and again, before its first event is one that was emptied.
  fc.record<ReadFault>({ after: fc.integer({ min: 1, max: 12 }), then: fc.constant('end') }),
);

/** Faults come in the order of the calls, between calls that go well. */
const plan = fc.record({
  appends: fc.array(fc.option(fc.oneof(append, storedThen), { nil: undefined }), { maxLength: 25 }),
  reads: fc.array(fc.option(read, { nil: undefined }), { maxLength: 25 }),
  sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
  checkpointsAhead: fc.boolean(),
  restartAfter: fc.option(fc.nat(11)),
  doubleOptions: fc.constantFrom<DoubleOptions>({}, { placing: FAR }),
});

const TIMING = { ...SHORT, call: 60, silence: 60, firstPause: 1, longestPause: 10, patience: 5000 };

describe('the event log on EventStoreDB under random faults', () => {
  it('holds each acknowledged append once, and shows each event once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ appends, reads, sizes, checkpointsAhead, restartAfter, doubleOptions }) => {
        const on = await onDouble({ timing: TIMING }, doubleOptions);
        const { double, log } = on;
        const [appendFaults, readFaults] = [[...appends], [...reads]];
        double.faults.append = () => appendFaults.shift();
        double.faults.read = () => readFaults.shift();
        double.faults.checkpointsAhead = checkpointsAhead;
        const streams = [newStream(), newStream(), newStream()];
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const following = collected(log, total);

        const sent = streams.map(() => [] as string[]);
        for (const [index, size] of sizes.entries()) {
          const ids = sent[index % streams.length]!;
          const events = Array.from({ length: size }, () => noted());
          const appending = log.append(streams[index % streams.length]!, ids.length - 1, events, metadata);
          ids.push(...events.map(({ id }) => id));
          if (index === restartAfter) {
            double.stop();
            await double.start();
          }
          expect((await appending).revision).to.equal(ids.length - 1);
        }

        const stored = double.log.entries.filter(({ stream }) => stream.startsWith(PREFIX));
        expect((await following).map(({ id }) => id)).to.deep.equal(stored.map(({ id }) => id));
        for (const [index, stream] of streams.entries()) {
          const { events, revision } = await log.read(stream);
          expect(events.map(({ id }) => id)).to.deep.equal(sent[index]);
          expect(revision).to.equal(sent[index]!.length + NO_STREAM);
          readFaults.push(...reads);
          expect(await log.read(stream, { last: 100, from: 2 })).to.deep.equal({ events: events.slice(2), revision });
          expect(await log.read(stream, { last: 2 })).to.deep.equal({ events: events.slice(-2), revision });
        }
        await letGo(on);
        await on.close();
      }),
      { numRuns: 25, timeout: 15000, interruptAfterTimeLimit: 15000 },
    );
  });
});

async function collected(
  log: Awaited<ReturnType<typeof onDouble>>['log'],
  total: number,
): Promise<readonly Recorded[]> {
  const enough = new AbortController();
  const seen: Recorded[] = [];
  for await (const { events } of log.subscribe(null, [], enough.signal)) {
    seen.push(...events);
    if (seen.length >= total) enough.abort();
  }
  return seen;
}
