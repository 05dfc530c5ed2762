import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Decider } from '../../src/core/decider.js';
import { NO_STREAM, type Event, type StreamName } from '../../src/core/event-log.js';
import { type Current } from '../../src/core/folded-streams.js';
import { handle, type CommandEnvelope } from '../../src/core/handle.js';
import { Problem } from '../../src/core/problem.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

type Counted = Event<'Counted', { by: number }>;
type Envelope = CommandEnvelope<number, number, Counted>;

const AT = '2026-01-01T00:00:00.000Z';

describe('An actor who is asked for when a command is handled', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;
  let decisions: number;
  before(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
  });
  after(async () => {
    await log.close();
    await directory.remove();
  });
  beforeEach(() => {
    decisions = 0;
  });

  const counter: Decider<number, number, Counted> = {
    initialState: 0,
    decide: (by) => {
      decisions += 1;
      return [{ type: 'Counted', data: { by } }];
    },
    evolve: (state, { data }) => state + data.by,
  };
  const handled = (stream: StreamName, isRefused: () => boolean, more: Partial<Envelope> = {}) => {
    const actor = (command: number): number => {
      if (isRefused()) throw new Problem('forbidden', 'no longer');
      return 100 + command;
    };
    return handle(log, counter, {
      stream,
      commandId: 'a',
      metadata: { actor, at: AT },
      command: () => 5,
      ...more,
    });
  };
  const revisionOf = async (stream: StreamName) => (await log.read(stream)).revision;

  it('is written as the actor of the command', async () => {
    await handled('count-1', () => false);
    expect((await log.read('count-1')).events[0]?.metadata.actor).to.equal(105);
  });

  it('has nothing decided or written who may not give the command', async () => {
    expect(await rejection(handled('count-2', () => true))).to.have.property('message', 'no longer');
    expect([decisions, await revisionOf('count-2')]).to.deep.equal([0, NO_STREAM]);
  });

  it('has nothing written who may not give the command once it has its claims', async () => {
    let claimed = false;
    const claim = (command: number) => {
      claimed = true;
      return Promise.resolve(command);
    };
    const refused = handled('count-3', () => claimed, { claim });
    expect(await rejection(refused)).to.have.property('message', 'no longer');
    expect([claimed, await revisionOf('count-3')]).to.deep.equal([true, NO_STREAM]);
  });

  it('has nothing written who may not give the command after a lost race', async () => {
    let lost = false;
    const claim = async (command: number) => {
      const event = { type: 'Counted', data: { by: 1 }, id: randomUUID() };
      await log.append('count-4', NO_STREAM, [event], { actor: 1, at: AT, schema: 1, commandId: 'b' });
      lost = true;
      return command;
    };
    const revisions: number[] = [];
    const command = ({ revision }: Current<number>) => {
      revisions.push(revision);
      return 5;
    };
    const refused = handled('count-4', () => lost && revisions.length > 1, { claim, command });
    expect(await rejection(refused)).to.have.property('message', 'no longer');
    expect([revisions, await revisionOf('count-4')]).to.deep.equal([[NO_STREAM, 0], 0]);
  });
});
