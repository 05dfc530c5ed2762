import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { NO_STREAM, RevisionConflict } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { eventStoreDouble } from '../../support/eventstoredb/double.js';
import { first, type OnDouble, onDouble, PATIENT, PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { metadata, newStream, noted, rejection } from '../contracts/event-log-fixture.js';

describe('appending to EventStoreDB', () => {
  let on: OnDouble;

  beforeEach(async () => {
    on = await onDouble();
  });

  afterEach(async () => {
    await on.close();
  });

  for (const then of ['unavailable', 'aborted', 'cancelled', 'internal', 'silence'] as const) {
    for (const written of [true, false]) {
      it(`repeats what ended as ${then} until the outcome is known, stored ${written ? 'before' : 'not yet'}`, async () => {
        const patient = await onDouble({ timing: { ...PATIENT, call: 1000 } });
        const stream = newStream();
        const events = [noted({ n: 1 }), noted({ n: 2 })];
        patient.double.faults.append = first(2, { written, then });
        const appended = await patient.log.append(stream, NO_STREAM, events, metadata);

        const stored = await patient.log.read(stream);
        expect(stored.events.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
        expect(appended).to.deep.equal({ revision: 1, position: stored.events[1]?.position });
        expect(patient.errors).to.have.length(2);
        await patient.close();
      });
    }
  }

  it('repeats the data of the first attempt, although the caller has changed the object meanwhile', async () => {
    const stream = newStream();
    const data = { text: 'first' };
    on.double.faults.append = first(1, { written: false, then: 'unavailable' });
    const appending = on.log.append(stream, NO_STREAM, [noted(data)], metadata);
    data.text = 'second';
    await appending;
    expect((await on.log.read(stream)).events[0]?.data).to.deep.equal({ text: 'first' });
  });

  it('finds its events where the server calls what is stored a conflict', async () => {
    const stream = newStream();
    on.double.faults.append = first(1, { written: true, then: 'conflict' });
    const appended = await on.log.append(stream, NO_STREAM, [noted(), noted()], metadata);
    expect(appended).to.deep.equal({ revision: 1, position: (await on.log.read(stream)).events[1]?.position });
  });

  it('finds all of them though the look for them ends early', async () => {
    const stream = newStream();
    on.double.faults.append = first(1, { written: true, then: 'conflict' });
    on.double.faults.read = first(1, { after: 1, then: 'end' });
    const appended = await on.log.append(stream, NO_STREAM, [noted(), noted(), noted()], metadata);
    expect(appended).to.deep.equal({ revision: 2, position: (await on.log.read(stream)).events[2]?.position });
  });

  it('reads the position if the server does not return it', async () => {
    const stream = newStream();
    on.double.faults.append = first(1, { written: true, then: 'no-position' });
    const appended = await on.log.append(stream, NO_STREAM, [noted(), noted()], metadata);
    expect(appended).to.deep.equal({ revision: 1, position: (await on.log.read(stream)).events[1]?.position });
  });

  it('is a conflict after an outcome that was not known, once others have written', async () => {
    const stream = newStream();
    on.double.faults.append = () => {
      on.double.faults.append = undefined;
      on.double.foreign(`${PREFIX}${stream}`);
      return { written: false, then: 'unavailable' };
    };
    const refused = await rejection(on.log.append(stream, NO_STREAM, [noted()], metadata));
    expect(refused).to.be.instanceOf(RevisionConflict).with.property('actual', 0);
  });

  it('fails when its patience is over, and a repetition returns the first result', async () => {
    const stream = newStream();
    const events = [noted()];
    on.double.faults.append = () => ({ written: true, then: 'silence' });
    const refused = await rejection(on.log.append(stream, NO_STREAM, events, metadata));
    expect(refused).to.be.instanceOf(Problem).that.includes({ kind: 'unavailable', retryAfter: 5 });

    on.double.faults.append = undefined;
    await sleep(2 * SHORT.coolDown);
    const appended = await on.log.append(stream, NO_STREAM, events, metadata);
    const stored = await on.log.read(stream);
    expect(stored.events).to.have.length(1);
    expect(appended).to.deep.equal({ revision: 0, position: stored.events[0]?.position });
  });

  it('fails appends that were queued behind a failed one', async () => {
    const stream = newStream();
    on.double.faults.append = () => ({ written: false, then: 'silence' });
    const started = performance.now();
    const appending = Array.from({ length: 8 }, () => rejection(on.log.append(stream, NO_STREAM, [noted()], metadata)));
    for (const refused of await Promise.all(appending)) {
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    }
    expect(performance.now() - started).to.be.below(4 * SHORT.patience);
  });

  it('completes waiting appends after a restart of the server', async () => {
    const streams = Array.from({ length: 5 }, newStream);
    on.double.stop();
    const appending = streams.map((stream) => on.log.append(stream, NO_STREAM, [noted()], metadata));
    await on.double.start();
    expect((await Promise.all(appending)).map(({ revision }) => revision)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('does not repeat what the server denies, and is unavailable', async () => {
    let calls = 0;
    on.double.faults.append = () => {
      calls += 1;
      return { written: false, then: 'denied' };
    };
    const refused = await rejection(on.log.append(newStream(), NO_STREAM, [noted()], metadata));
    expect(refused).to.be.instanceOf(Problem).that.includes({ kind: 'unavailable', retryAfter: 5 });
    expect(calls).to.equal(1);
    expect(String(on.errors)).to.contain('EventStoreDB denies the user of EVENTSTOREDB_URL what it allowed before');
  });

  describe('what never reaches the server', () => {
    let calls: number;

    beforeEach(() => {
      calls = 0;
      on.double.faults.append = () => {
        calls += 1;
        return undefined;
      };
    });

    it('is data that JSON cannot express', async () => {
      const cyclic: Record<string, unknown> = {};
      cyclic['self'] = cyclic;
      const throwing = { toJSON: () => expect.fail('no') };
      for (const data of [{ large: 1n }, cyclic, throwing, [1], () => 1, new Date()]) {
        const refused = await rejection(on.log.append(newStream(), NO_STREAM, [noted(), noted(data)], metadata));
        expect(refused).to.be.instanceOf(Error);
      }
      expect(calls).to.equal(0);
    });

    it('is an id that is no UUID', async () => {
      const event = { ...noted(), id: 'artifact-7' };
      expect(await rejection(on.log.append(newStream(), NO_STREAM, [event], metadata))).to.be.instanceOf(TypeError);
      expect(calls).to.equal(0);
    });

    it('is an append without events', async () => {
      expect(await rejection(on.log.append(newStream(), NO_STREAM, [], metadata))).to.be.instanceOf(Error);
      expect(calls).to.equal(0);
    });

    it('is more than the server takes at once', async () => {
      const text = 'ä'.repeat(300 * 1024);
      const refused = await rejection(
        on.log.append(newStream(), NO_STREAM, [noted({ text }), noted({ text })], metadata),
      );
      expect(refused).to.be.instanceOf(Problem).with.property('kind', 'too-large');
      expect(calls).to.equal(0);
      const { revision } = await on.log.append(newStream(), NO_STREAM, [noted({ text })], metadata);
      expect(revision).to.equal(0);
    });
  });

  it('says it is too much when the server takes less than was thought', async () => {
    const small = await onDouble({}, { maxAppendBytes: 1000 });
    const refused = await rejection(
      small.log.append(newStream(), NO_STREAM, [noted({ text: 'x'.repeat(2000) })], metadata),
    );
    expect(refused).to.be.instanceOf(Problem).with.property('kind', 'too-large');
    await small.close();
  });

  it('tells the right revision though the connection string forbids the client to throw', async () => {
    const quiet = await onDouble();
    const connectionString = `${quiet.double.connectionString}&throwOnAppendFailure=false`;
    const log = await eventStoreDbLog({ connectionString, prefix: PREFIX, timing: SHORT });
    const stream = newStream();
    await log.append(stream, NO_STREAM, [noted(), noted(), noted()], metadata);
    const refused = await rejection(log.append(stream, 0, [noted()], metadata));
    expect(refused).to.be.instanceOf(RevisionConflict).with.property('actual', 2);
    await log.close();
    await quiet.close();
  });

  it('loses nothing of one server when another one breaks off in the same process', async () => {
    // Forty at once take their time: none of these answers is to be given up on.
    const one = await onDouble({ timing: PATIENT });
    const other = await onDouble();
    one.double.faults.append = first(20, { written: true, then: 'late' });
    const here = Array.from({ length: 20 }, () => one.log.append(newStream(), NO_STREAM, [noted()], metadata));
    other.double.faults.append = () => ({ written: true, then: 'silence' });
    const there = Array.from({ length: 20 }, () =>
      rejection(other.log.append(newStream(), NO_STREAM, [noted()], metadata)),
    );
    other.double.stop();

    expect((await Promise.all(here)).map(({ revision }) => revision)).to.deep.equal(Array(20).fill(0));
    expect(one.errors).to.deep.equal([]);
    for (const refused of await Promise.all(there)) expect(refused).to.be.instanceOf(Problem);
    await one.close();
    await other.close();
  });

  it('finds its server through gossip, again after a loss', async () => {
    const cluster = await onDouble({}, { cluster: true });
    const stream = newStream();
    await cluster.log.append(stream, NO_STREAM, [noted()], metadata);
    cluster.double.stop();
    const appending = cluster.log.append(stream, 0, [noted()], metadata);
    await cluster.double.start();
    expect((await appending).revision).to.equal(1);
    await cluster.close();
  });

  it('sees appends to their end when it closes, and takes no more', async () => {
    const stream = newStream();
    on.double.faults.append = first(1, { written: true, then: 'late' });
    const appending = on.log.append(stream, NO_STREAM, [noted()], metadata);
    await on.log.close();
    expect((await appending).revision).to.equal(0);
    const refused = await rejection(on.log.append(stream, 0, [noted()], metadata));
    expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
  });
});

describe('opening the log on EventStoreDB', () => {
  it('fails if no server answers', async () => {
    const double = await eventStoreDouble();
    double.stop();
    const timing = { ...SHORT, patience: 200 };
    const refused = await rejection(
      eventStoreDbLog({ connectionString: double.connectionString, prefix: PREFIX, timing }),
    );
    expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
  });

  it('does not tell the password in a connection string that is wrong', async () => {
    const connectionString = 'esdb://admin:secret@host:2113?nodePreference=nowhere';
    const refused = await rejection(eventStoreDbLog({ connectionString, prefix: PREFIX }));
    expect(String(refused)).to.include('Connection string').and.to.include('nowhere').and.not.to.include('secret');
  });

  it('leaves the names that begin with $ to the server', async () => {
    const refused = await rejection(eventStoreDbLog({ connectionString: 'esdb://localhost', prefix: '$ledger.' }));
    expect(refused).to.be.instanceOf(Error);
  });
});
