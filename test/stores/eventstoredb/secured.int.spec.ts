import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Batch, NO_STREAM } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { type EventStoreDbLog, eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { needsOperator } from '../../../src/stores/eventstoredb/errors.js';
import { type Double, eventStoreDouble } from '../../support/eventstoredb/double.js';
import { PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { type Secrets, secrets, securedDouble, USER, way, type Way } from '../../support/eventstoredb/secured.js';
import { batchesOf, metadata, newStream, noted, rejection } from '../contracts/event-log-fixture.js';
import { logOnDouble } from './event-log-on-double.js';
import { itKeepsTheEventLogContract } from '../contracts/event-log.contract.js';

describe('the event log on a double of EventStoreDB that asks for TLS and a password', () => {
  itKeepsTheEventLogContract(async () => {
    const files = await secrets();
    const { double, connectionString } = await securedDouble(files);
    return logOnDouble(double, connectionString, () => files.remove());
  });
});

describe('the log on an EventStoreDB of which the password changes while it runs', () => {
  let files: Secrets;
  let double: Double;
  let log: EventStoreDbLog;
  let errors: unknown[];
  beforeEach(async () => {
    files = await secrets();
    errors = [];
    const secured = await securedDouble(files);
    ({ double } = secured);
    const { connectionString } = secured;
    const onRetry = (error: unknown) => errors.push(error);
    log = await eventStoreDbLog({ connectionString, prefix: PREFIX, timing: SHORT, onRetry });
  });
  afterEach(async () => {
    await log.close();
    double.stop();
    await files.remove();
  });

  it('is unavailable at once, says what to do, and works again as soon as the password is right', async () => {
    const stream = newStream();
    await log.append(stream, NO_STREAM, [noted()], metadata);
    double.faults.password = 'another one';
    const began = performance.now();
    for (const work of [
      () => log.append(stream, 0, [noted()], metadata),
      () => log.read(stream),
      () => log.end(),
      () => batchesOf(log, null),
    ]) {
      expect(await rejection(work()))
        .to.be.instanceOf(Problem)
        .that.includes({ kind: 'unavailable', retryAfter: 5 });
    }
    expect(performance.now() - began).to.be.below(SHORT.patience);
    expect(errors).to.have.length(4);
    for (const error of errors) {
      expect(needsOperator(error)).to.equal(true);
      expect(String(error))
        .to.contain('no longer accepts the user name or the password')
        .and.contain('EVENTSTOREDB_URL');
    }
    double.faults.password = undefined;
    expect((await log.append(stream, 0, [noted()], metadata)).revision).to.equal(1);
    expect((await log.read(stream)).revision).to.equal(1);
  });

  it('goes on delivering once the password is right again', async () => {
    const stop = new AbortController();
    const reading = log.subscribe(null, [], stop.signal)[Symbol.asyncIterator]();
    double.faults.password = 'another one';
    const next = reading.next();
    while (errors.length < 3) await sleep(5);
    double.faults.password = undefined;
    const event = noted();
    await log.append(newStream(), NO_STREAM, [event], metadata);
    expect(((await next).value as Batch).events[0]?.id).to.equal(event.id);
    stop.abort();
    await reading.return?.();
  });
});

describe('opening the log on an EventStoreDB that asks for TLS and a password', () => {
  let files: Secrets;
  let double: Double;
  let doubles: Double[];
  before(async () => {
    files = await secrets();
    ({ double } = await securedDouble(files));
    doubles = [double];
  });
  after(async () => {
    for (const one of doubles) one.stop();
    await files.remove();
  });

  const beside = (one: Double): Double => {
    doubles.push(one);
    return one;
  };

  /** What is said of a string that leads nowhere, without a word of its secret. */
  const said = async (given: Partial<Way>): Promise<string> => {
    const connectionString = way({ hosts: `127.0.0.1:${double.port}`, caFile: files.trusted, ...given });
    const errors: unknown[] = [];
    const onRetry = (error: unknown) => errors.push(error);
    const timing = { ...SHORT, patience: 300 };
    const error = await rejection(eventStoreDbLog({ connectionString, prefix: PREFIX, timing, onRetry }));
    expect(error).to.be.instanceOf(Error);
    const told = [error, ...errors].map(String).join('\n');
    const { password } = given.user ?? USER;
    for (const secret of [password, encodeURIComponent(password), Buffer.from(password).toString('base64')]) {
      expect(told).not.to.contain(secret);
    }
    expect(told).not.to.contain('esdb:');
    return (error as Error).message;
  };

  it('succeeds with the right ones', async () => {
    const connectionString = way({ hosts: `127.0.0.1:${double.port}`, caFile: files.trusted });
    const log = await eventStoreDbLog({ connectionString, prefix: PREFIX });
    expect((await log.append(newStream(), NO_STREAM, [noted()], metadata)).revision).to.equal(0);
    await log.close();
  });

  it('fails with a wrong password, and names it as the reason', async () => {
    expect(await said({ user: { ...USER, password: 'wr@ng:s3cret' } })).to.equal(
      'EventStoreDB does not accept the user name or the password: 16 UNAUTHENTICATED: Unauthenticated',
    );
  });

  it('fails without a user name and password, and names the reason', async () => {
    expect(await said({ user: null })).to.equal(
      'EventStoreDB requires a user name and a password in EVENTSTOREDB_URL: 7 PERMISSION_DENIED: Access Denied',
    );
  });

  it('fails for a user without the right to read the whole log, and names the reason', async () => {
    const closed = beside((await securedDouble(files)).double);
    closed.faults.read = () => ({ after: 0, then: 'denied' });
    expect(await said({ hosts: `127.0.0.1:${closed.port}` })).to.contain(
      'The user of EVENTSTOREDB_URL may not read the whole log; give the user access to $all',
    );
  });

  it('fails with an untrusted certificate, and names the reason', async () => {
    for (const caFile of [files.foreign, null]) {
      const told = await said({ caFile });
      expect(told)
        .to.contain('EventStoreDB does not answer: ')
        .and.to.match(/certificate.*It was asked over TLS/);
    }
  });

  it('fails with a certificate of another host, and names the reason', async () => {
    const other = beside((await securedDouble(files, 'log.example.org', '192.0.2.1')).double);
    expect(await said({ hosts: `127.0.0.1:${other.port}` })).to.match(
      /does not answer: .*does not match certificate's altnames: IP: 127\.0\.0\.1 is not in the cert's list/,
    );
  });

  it('fails if only one side uses TLS, and names the reason', async () => {
    expect(await said({ tls: false })).to.contain('asked without TLS, because of tls=false');
    const plain = beside(await eventStoreDouble());
    expect(await said({ hosts: `127.0.0.1:${plain.port}` })).to.match(/wrong version number.*over TLS/);
  });

  it('names the reason for each of several hosts', async () => {
    double.faults.leaderless = true;
    const other = beside((await securedDouble(files, 'log.example.org')).double);
    const hosts = `127.0.0.1:${double.port},127.0.0.1:${other.port},127.0.0.1:1`;
    const found = (await said({ hosts })).split('; ');
    expect(found).to.have.length(3);
    double.faults.leaderless = false;
    expect(found[0]).to.contain(`127.0.0.1:${double.port}: answers, but knows no member of the cluster`);
    expect(found[1]).to.match(new RegExp(`^127.0.0.1:${other.port}: .*does not match certificate's altnames`));
    expect(found[2]).to.match(/^127.0.0.1:1: .*ECONNREFUSED/);
  });
});
