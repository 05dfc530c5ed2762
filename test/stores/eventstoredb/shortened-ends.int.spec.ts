import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventTypes } from '../../../projections/event-types.js';
import { pendingDeletions } from '../../../projections/pending-deletions.js';
import { deletionDecider, type DeletionCommand } from '../../../src/artifacts/deletions/deletion-count.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { pendingDeletionViews } from '../../../src/artifacts/deletions/pending-deletions-view.js';
import { requestDecider } from '../../../src/artifacts/idempotency/accepted-request.js';
import { requestStream } from '../../../src/artifacts/idempotency/accepted-request-events.js';
import { type Decider } from '../../../src/core/decider.js';
import { type Event, type StreamName } from '../../../src/core/event-log.js';
import { foldedStream } from '../../../src/core/folded-streams.js';
import { handle } from '../../../src/core/handle.js';
import { idAllocator, idsStream } from '../../../src/core/ids.js';
import { Problem } from '../../../src/core/problem.js';
import { type FreshWorld, freshWorld, told } from '../../projections/engine/runner-fixture.js';
import { letGo, type OnDouble, onDouble, PREFIX, SHORT } from '../../support/eventstoredb/opened.js';
import { rejection } from '../contracts/event-log-fixture.js';

const USER = 101;
const HOUR_MS = 60 * 60 * 1000;
const instant = (hours: number): string => new Date(Date.UTC(2026, 2, 1) + hours * HOUR_MS).toISOString();

describe('a stream on EventStoreDB of which the end says all, once an operator has shortened it', () => {
  let on: OnDouble;
  const worlds: FreshWorld[] = [];

  beforeEach(async () => {
    on = await onDouble({ timing: { ...SHORT, call: 5000, patience: 20_000 } });
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
    await letGo(on);
    await on.close();
  });

  const shorten = (stream: StreamName, before: number): void => {
    on.double.log.truncate(`${PREFIX}${stream}`, before);
    on.double.log.scavenge();
  };
  const commanded = <State, Command, E extends Event>(
    decider: Decider<State, Command, E>,
    stream: StreamName,
    command: Command,
    hours: number,
  ) => {
    const metadata = { actor: USER, at: instant(hours) };
    return handle(on.log, decider, { stream, commandId: randomUUID(), isNew: true, metadata, command: () => command });
  };

  it('is read and written as before, where it is that of a key', async () => {
    const stream = requestStream(USER, 'key');
    const use = (artifactId: number, day: number) =>
      commanded(requestDecider, stream, { artifactId, digest: 'd', at: instant(25 * day) }, 25 * day);
    for (const day of [0, 1, 2]) await use(day, day);
    shorten(stream, 2);
    expect((await foldedStream(on.log, requestDecider, stream)).current.state).to.include({ artifactId: 2, uses: 3 });
    expect(await use(7, 2)).to.deep.include({ written: false, revision: 2 });
    expect(await use(3, 3)).to.deep.include({ written: true, revision: 3 });
    // Further than this process has read it.
    await use(4, 4);
    shorten(stream, 4);
    expect((await foldedStream(on.log, requestDecider, stream)).current.state).to.include({ artifactId: 4, uses: 5 });
  });

  const stream = deletionsStream(USER);
  const deletion = (artifactId: number) => ({ userId: USER, artifactId, deletionId: `d${artifactId}` });
  const deletions = (command: DeletionCommand, hours: number) => commanded(deletionDecider, stream, command, hours);
  const count = (artifactId: number, hours: number) =>
    deletions({ type: 'CountDeletion', ...deletion(artifactId), at: instant(hours), limit: 3 }, hours);
  const release = (artifactId: number, countedAt: number, hours: number) => {
    const instants = { countedAt: instant(countedAt), at: instant(hours) };
    return deletions({ type: 'ReleaseDeletion', ...deletion(artifactId), ...instants }, hours);
  };

  it('is read and written as before, where it is that of the deletions of a user', async () => {
    for (const artifactId of [1, 2, 3]) await count(artifactId, artifactId);
    shorten(stream, 2);
    expect(await rejection(count(4, 4)))
      .to.be.instanceOf(Problem)
      .with.property('kind', 'too-many');
    expect((await release(1, 1, 5)).revision).to.equal(3);
    shorten(stream, 3);
    expect((await release(1, 1, 6)).written).to.equal(false);
    expect((await count(4, 7)).revision).to.equal(4);
    expect(await rejection(count(5, 8))).to.be.instanceOf(Problem);
    expect((await count(5, 26)).revision).to.equal(5);
  });

  it('is read and written as before, where it is that of ids', async () => {
    const clock = () => new Date(instant(0));
    const ids = idAllocator(on.log, 'artifact', { clock, blockSize: 2 });
    let last = 0;
    for (let taken = 0; taken < 7; taken += 1) last = await ids.next();
    const { revision } = await on.log.read(idsStream('artifact'), { last: 1 });
    shorten(idsStream('artifact'), revision);
    expect(await idAllocator(on.log, 'artifact', { clock }).next()).to.be.greaterThan(last);
    expect(await ids.next()).to.be.greaterThan(last);
  });

  const projectedAnew = async () => {
    const { log } = on;
    // The log is closed after all that read it.
    const world = await freshWorld({ ...log, close: () => Promise.resolve() });
    worlds.push(world);
    const { runner } = world.start([pendingDeletions], world.store, eventTypes);
    await runner.ready;
    const pending = async (): Promise<readonly (string | number)[]> => {
      const end = await log.end();
      if (end !== null) await world.models.caughtUp(pendingDeletions.name, end, 10_000);
      const page = { where: [], direction: 'asc', limit: 100, offset: 0 } as const;
      return (await world.models.find(pendingDeletionViews, page)).items.map(({ id }) => id);
    };
    return { runner, pending };
  };

  it('is projected on, and filled anew from what is left of it', async () => {
    for (const artifactId of [1, 2, 3]) await count(artifactId, artifactId);
    const before = await projectedAnew();
    expect(await before.pending()).to.deep.equal(['d1', 'd2', 'd3']);
    shorten(stream, 2);
    const after = await projectedAnew();
    expect(await after.pending()).to.deep.equal(['d3']);
    await release(3, 3, 4);
    await count(4, 5);
    // Of a deletion that is carried out a day late.
    await release(1, 1, 30);
    expect(await before.pending()).to.deep.equal(['d2', 'd4']);
    expect(await after.pending()).to.deep.equal(['d4']);
    for (const { runner } of [before, after]) {
      for (const status of told(runner)) {
        expect(status).to.deep.include({ state: 'live', reason: null, trouble: null, marks: [] });
      }
    }
  });

  it('is unavailable where its last event does not say all: an earlier release wrote it', async () => {
    const append = (revision: number, hours: number) =>
      on.log.append(
        stream,
        revision,
        [{ id: randomUUID(), type: 'DeletionCounted', data: { ...deletion(revision), at: instant(hours) } }],
        { actor: USER, at: instant(hours), schema: 1, commandId: randomUUID() },
      );
    await append(-1, 0);
    await append(0, 1);
    shorten(stream, 1);
    const refused = await rejection(count(3, 2));
    expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    expect(refused).to.have.property('message').that.contains(`lost events of the stream ${stream}`);
  });
});
