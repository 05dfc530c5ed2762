import { expect } from 'chai';
import { type EventLog } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { watchedLog, type WatchedLog } from '../../../src/core/logs/watched-log.js';
import { readinessOf } from '../../../src/composition/readiness.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';

const METADATA = { actor: null, at: '2026-03-01T10:00:00.000Z', schema: 1, commandId: 'c' };

describe('a watched log', () => {
  let now: Date;
  let disk: Error | null;
  let log: WatchedLog;

  beforeEach(() => {
    now = new Date('2026-03-01T10:00:00.000Z');
    disk = null;
    const append: EventLog['append'] = () =>
      disk === null ? Promise.resolve({ revision: 0, position: '1' as never }) : Promise.reject(disk);
    log = watchedLog({ append } as unknown as EventLog, () => now);
  });

  const write = () => log.append('item-1', -1, [], METADATA);
  const readiness = () =>
    readinessOf(
      {
        log,
        unhealthy: () => [],
        unserved: () => [],
        unreachable: () => [],
        readModels: { marks: () => [] },
      } as unknown as Parameters<typeof readinessOf>[0],
      true,
    );

  it('degrades the readiness while writes fail, until one succeeds', async () => {
    await write();
    expect(readiness()).to.deep.equal({ started: true, ready: true, details: {} });

    const full = new Problem('unavailable', 'The disk is full', { retryAfter: 5 });
    disk = full;
    const since = now;
    expect(await rejection(write())).to.equal(full);
    now = new Date('2026-03-01T10:01:00.000Z');
    expect(await rejection(write())).to.equal(full);
    const degraded = [{ component: 'log', since, reason: 'The disk is full' }];
    expect(readiness()).to.deep.equal({ started: true, ready: true, details: { degraded } });

    disk = null;
    await write();
    expect(readiness().details).to.deep.equal({});
  });

  it('does not degrade the readiness after the refusal of an invalid write', async () => {
    disk = new Problem('too-large', 'One change takes 1,000,000 bytes at most');
    await rejection(write());
    expect(log.refusing()).to.equal(undefined);
  });
});
