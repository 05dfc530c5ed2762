import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Decider } from '../../src/core/decider.js';
import { NO_STREAM, type Event, type EventLog } from '../../src/core/event-log.js';
import { type Current } from '../../src/core/folded-streams.js';
import { handle, type CommandEnvelope } from '../../src/core/handle.js';
import { Problem } from '../../src/core/problem.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { whileClockIsSetAhead } from '../support/clock-set-ahead.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

type Counted = Event<'Counted', { by: number }>;

/** Adds what it is told; zero is nothing to do. */
const counter: Decider<number, number, Counted> = {
  initialState: 0,
  decide: (by) => (by === 0 ? [] : [{ type: 'Counted', data: { by } }]),
  evolve: (state, { data }) => state + data.by,
};

const metadata = { actor: 115, at: '2026-01-01T00:00:00.000Z' };

describe('handle', () => {
  let directory: TemporaryDirectory;
  let log: SqliteEventLog;
  before(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
  });
  after(async () => {
    await log.close();
    await directory.remove();
  });

  const add = (
    stream: `count-${string}`,
    by: number | ((current: Current<number>) => number | Promise<number>),
    commandId: string,
  ) => handle(log, counter, { stream, commandId, metadata, command: typeof by === 'number' ? () => by : by });

  it('starts from an empty stream and answers with the state after the events', async () => {
    const { state, revision, position, lastModified } = await add('count-1', 5, 'a');
    expect({ state, revision, lastModified }).to.deep.equal({ state: 5, revision: 0, lastModified: metadata.at });
    expect(position).to.be.a('string');
  });

  it('writes nothing for a command without events', async () => {
    expect(await add('count-2', 0, 'a')).to.deep.equal({
      state: 0,
      revision: NO_STREAM,
      lastModified: null,
      position: null,
      written: false,
      end: null,
      command: 0,
    });
  });

  it('writes no time before that of the previous event, and returns the written time', async () => {
    const at = (instant: string, by: number) =>
      handle(log, counter, {
        stream: 'count-9',
        commandId: instant,
        metadata: { ...metadata, at: instant },
        command: () => by,
      });
    await at('2026-01-01T10:00:00.000Z', 1);
    const { lastModified } = await at('2026-01-01T09:59:59.999Z', 1);
    expect(lastModified).to.equal('2026-01-01T10:00:00.000Z');
    await at('2026-01-01T10:00:00.001Z', 1);
    const { events } = await log.read('count-9');
    expect(events.map(({ metadata: { at: written } }) => written)).to.deep.equal([
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T10:00:00.001Z',
    ]);
    expect(await at('2026-01-01T09:00:00.000Z', 0)).to.include({ lastModified: '2026-01-01T10:00:00.001Z' });
  });

  it('queues the commands on one stream, so that each sees the events of the previous one', async () => {
    const seen: number[] = [];
    const commands = Array.from({ length: 30 }, (_, index) =>
      add('count-3', ({ state }) => (seen.push(state), 1), `c${index}`),
    );
    await Promise.all(commands);
    expect(seen).to.deep.equal(Array.from({ length: 30 }, (_, index) => index));
  });

  it('makes the command again after a race that another process won', async () => {
    const asked: number[] = [];
    const { state } = await add(
      'count-4',
      async ({ state: current }) => {
        asked.push(current);
        if (asked.length === 1) {
          const id = '00000000-0000-8000-8000-000000000001';
          const event = { type: 'Counted', data: { by: 10 }, id };
          await log.append('count-4', NO_STREAM, [event], { ...metadata, schema: 1, commandId: 'other' });
        }
        return 1;
      },
      'mine',
    );
    expect(asked).to.deep.equal([0, 10]);
    expect(state).to.equal(11);
  });

  it('continues after many lost races if the clock is set ahead', async () => {
    let lost = 0;
    const race = async ({ revision }: Current<number>): Promise<number> => {
      if (lost === 6) return 1;
      lost += 1;
      const event = { type: 'Counted', data: { by: 10 }, id: randomUUID() };
      await log.append('count-8', revision, [event], { ...metadata, schema: 1, commandId: `other-${lost}` });
      return 1;
    };
    const { state } = await whileClockIsSetAhead(() => add('count-8', race, 'mine'));
    expect([lost, state]).to.deep.equal([6, 61]);
  });

  it('answers a repeated command with its first result, and writes nothing', async () => {
    const first = await add('count-7', 1, 'mine');
    const other = await add('count-7', 5, 'other');
    const again = await add('count-7', 3, 'mine');
    expect(again.command).to.equal(null);
    expect(again.end).to.equal(other.position);
    expect({ ...again, end: first.end, command: first.command }).to.deep.equal(first);
    expect((await log.read('count-7')).revision).to.equal(1);
  });

  it('names the attempt that wrote, of two concurrent attempts at one command', async () => {
    const both = await Promise.all(
      ['first', 'second'].map((attemptId) => {
        const elsewhere: EventLog = { ...log };
        const envelope = { stream: 'count-11', commandId: 'mine', attemptId, metadata, command: () => 1 } as const;
        return handle(elsewhere, counter, envelope);
      }),
    );
    expect(both.map(({ written }) => written).sort()).to.deep.equal([false, true]);
    expect(both.map(({ revision }) => revision)).to.deep.equal([0, 0]);
    expect((await log.read('count-11')).events).to.have.length(1);
  });

  it('names it also where one command has more events than are read at once', async () => {
    const many: typeof counter = {
      ...counter,
      decide: (count) => Array.from({ length: count }, () => ({ type: 'Counted', data: { by: 1 } })),
    };
    const envelope = { stream: 'count-12', commandId: 'mine', metadata, command: () => 600 } as const;
    const first = await handle(log, many, envelope);
    expect(await handle(log, many, envelope)).to.deep.equal({ ...first, command: null });
    expect(await handle(log, many, { ...envelope, attemptId: 'other' })).to.include({ written: false, state: 600 });
  });

  describe('with claims', () => {
    interface Add {
      readonly by: number;
      readonly note: string;
    }
    const noted: Decider<number, Add, Counted> = { ...counter, decide: ({ by }, state) => counter.decide(by, state) };
    type Claim = NonNullable<CommandEnvelope<number, Add, Counted>['claim']>;
    const claiming = (stream: `count-${string}`, command: (tries: number) => Add, claim: Claim) => {
      const tries = { n: 0 };
      const next = () => command((tries.n += 1));
      return handle(log, noted, { stream, commandId: randomUUID(), metadata, command: next, claim });
    };
    const others = (stream: `count-${string}`, upon: number) =>
      log.append(stream, upon, [{ type: 'Counted', data: { by: 10 }, id: randomUUID() }], {
        ...metadata,
        schema: 1,
        commandId: 'other',
      });

    it('claims between decision and append, and returns the claims', async () => {
      const claim: Claim = async (command, { events, metadata: { at, commandId }, upon }) => {
        expect([events, at, typeof commandId, upon]).to.deep.equal([
          [{ type: 'Counted', data: { by: 1 } }],
          metadata.at,
          'string',
          NO_STREAM,
        ]);
        expect((await log.read('count-21')).events).to.deep.equal([]);
        return { ...command, note: 'claimed' };
      };
      const { command, state } = await claiming('count-21', () => ({ by: 1, note: 'asked' }), claim);
      expect([command, state]).to.deep.equal([{ by: 1, note: 'claimed' }, 1]);
    });

    it('dates the events right before the append if it has a clock, again for each try', async () => {
      let second = 0;
      const at = () => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
      let upon = NO_STREAM;
      const claim: Claim = async (command) => {
        second += 10;
        if (upon === NO_STREAM) upon = (await others('count-25', NO_STREAM)).revision;
        return command;
      };
      const envelope = { stream: 'count-25', commandId: randomUUID(), metadata: { actor: 115, at }, claim } as const;
      const handled = await handle(log, noted, { ...envelope, command: () => ({ by: 1, note: 'asked' }) });
      const { events } = await log.read('count-25');
      const written = events.map((event) => event.metadata.at);
      expect(written).to.deep.equal([metadata.at, '2026-01-01T00:00:20.000Z']);
      expect([handled.state, handled.lastModified]).to.deep.equal([11, written[1]]);
    });

    it('claims nothing for a command without events', async () => {
      const claim = () => Promise.reject(new Error('claimed'));
      const { command, written } = await claiming('count-22', () => ({ by: 0, note: 'asked' }), claim);
      expect([command, written]).to.deep.equal([{ by: 0, note: 'asked' }, false]);
    });

    it('makes the command again if another writer was faster, with a claim or in the stream', async () => {
      const claimed: string[] = [];
      const claim: Claim = async (command, { upon }) => {
        claimed.push(`${command.note} upon ${upon}`);
        if (claimed.length === 2) await others('count-23', upon);
        return claimed.length === 1 ? null : command;
      };
      const { command, state } = await claiming('count-23', (n) => ({ by: n, note: `asked ${n}` }), claim);
      expect(claimed).to.deep.equal(['asked 1 upon -1', 'asked 2 upon -1', 'asked 3 upon 0']);
      expect([command, state]).to.deep.equal([{ by: 3, note: 'asked 3' }, 13]);
    });

    it('writes nothing when a claim is refused', async () => {
      const refused = claiming(
        'count-24',
        () => ({ by: 1, note: '' }),
        () => Promise.reject(new Problem('conflict', 'taken')),
      );
      expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(Problem);
      expect((await log.read('count-24')).revision).to.equal(NO_STREAM);
    });
  });

  it('throws the refusal of a decider, and the stream stays usable', async () => {
    const refusal = add(
      'count-5',
      () => {
        throw new Problem('stale', 'seen before');
      },
      'a',
    ).catch((error: unknown) => error);
    expect(await refusal)
      .to.be.instanceOf(Problem)
      .with.property('kind', 'stale');
    expect((await add('count-5', 1, 'b')).revision).to.equal(0);
  });

  it('writes the metadata of the command into its events', async () => {
    await handle(log, counter, {
      stream: 'count-6',
      commandId: 'c',
      metadata: { ...metadata, requestId: 'r' },
      command: () => 1,
      definition: () => 4,
    });
    const { events } = await log.read('count-6');
    expect(events[0]?.metadata).to.deep.equal({
      ...metadata,
      requestId: 'r',
      schema: 1,
      commandId: 'c',
      definition: 4,
    });
  });
});
