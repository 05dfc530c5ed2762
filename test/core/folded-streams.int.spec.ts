import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Decider } from '../../src/core/decider.js';
import { NO_STREAM, type Event, type EventLog, type StreamPart } from '../../src/core/event-log.js';
import { foldedStream } from '../../src/core/folded-streams.js';
import { handle } from '../../src/core/handle.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

type Written = Event<'Written', { text: string }>;
type StoryStream = `story-${string}`;

/** Adds what it is told. */
const writer: Decider<string, string, Written> = {
  initialState: '',
  decide: (text) => [{ type: 'Written', data: { text } }],
  evolve: (state, { data }) => state + data.text,
};

/** Of a stream that is short. */
const WHOLE: StreamPart = { last: 500, from: 0 };
const since = (from: number): StreamPart => ({ last: 500, from });
const MEBIBYTE = 1024 * 1024;
const metadata = { actor: null, at: '2026-01-01T00:00:00.000Z' };

describe('the fold of a stream with many commands', () => {
  let directory: TemporaryDirectory;
  let stored: SqliteEventLog;
  let log: EventLog;
  /** What was read of streams, each time. */
  let parts: StreamPart[];

  beforeEach(async () => {
    directory = await temporaryDirectory();
    stored = await sqliteEventLog(directory.path);
    parts = [];
    log = {
      ...stored,
      read: (stream, part) => {
        if (part !== undefined) parts.push(part);
        return stored.read(stream, part);
      },
    };
  });
  afterEach(async () => {
    await stored.close();
    await directory.remove();
  });

  const write = (stream: StoryStream, text: string, decider = writer) =>
    handle(log, decider, { stream, commandId: randomUUID(), isNew: true, metadata, command: () => text });
  const byOthers = (stream: StoryStream, upon: number, text: string) =>
    stored.append(stream, upon, [{ id: randomUUID(), type: 'Written', data: { text } }], {
      ...metadata,
      schema: 1,
      commandId: randomUUID(),
    });

  it('serves a command whose events come later than the stream ends, and no other one', async () => {
    for (const text of ['x', 'y']) await write('story-20', text);
    const last = await write('story-20', 'a');
    const add = (commandId: string) =>
      handle(log, writer, { stream: 'story-20', commandId, after: last.position!, metadata, command: () => 'b' });
    parts.length = 0;
    const added = await add('mine');
    expect([added.state, parts]).to.deep.equal(['xyab', [since(1)]]);
    const again = await add('mine');
    expect([again.state, again.position, again.written]).to.deep.equal(['xyab', added.position, true]);
    expect((await add('other')).state).to.equal('xyabb');
  });

  it('reads the whole stream once, then only new events, also those of other processes', async () => {
    const states = [];
    for (const text of ['a', 'b', 'c']) states.push((await write('story-1', text)).state);
    await byOthers('story-1', 2, 'd');
    states.push((await write('story-1', 'e')).state);
    expect(states).to.deep.equal(['a', 'ab', 'abc', 'abcde']);
    // Nothing is kept of a stream without events.
    expect(parts).to.deep.equal([WHOLE, WHOLE, since(0), since(1)]);
  });

  it('reads nothing for the first command of a new id, unless another writer was faster', async () => {
    const begin = (stream: StoryStream, text: string) =>
      handle(log, writer, { stream, commandId: randomUUID(), isFirst: true, metadata, command: () => text });
    expect(await begin('story-1', 'a')).to.include({ state: 'a', revision: 0, written: true });
    expect(parts).to.deep.equal([]);
    await byOthers('story-2', NO_STREAM, 'x');
    expect(await begin('story-2', 'b')).to.include({ state: 'xb', revision: 1, written: true });
    expect(parts).to.deep.equal([WHOLE]);
  });

  it('reads a long stream in slices, with the same result', async () => {
    const texts = Array.from({ length: 1234 }, (_, n) => `${n},`);
    for (let n = 0; n < texts.length; n += 100) {
      const events = texts.slice(n, n + 100).map((text) => ({ id: randomUUID(), type: 'Written', data: { text } }));
      await stored.append('story-1', n - 1, events, { ...metadata, schema: 1, commandId: `part ${n}` });
    }
    expect((await write('story-1', 'end')).state).to.equal(`${texts.join('')}end`);
    const slices = [
      { from: 0, to: 499 },
      { from: 500, to: 999 },
      { from: 1000, to: 1233 },
    ];
    expect(parts).to.deep.equal([WHOLE, ...slices]);
    const again = { stream: 'story-1', commandId: 'part 400', metadata, command: () => 'again' } as const;
    expect(await handle(log, writer, again)).to.include({
      state: texts.slice(0, 500).join(''),
      revision: 499,
      command: null,
    });
  });

  it('knows when the stream was last modified, which not every event does', async () => {
    const decider = { ...writer, isModification: ({ data }: Written) => data.text !== '.' };
    const seen: (string | null)[] = [];
    for (const [hour, text] of ['a', '.', 'b', '.', '.'].entries()) {
      await handle(log, decider, {
        ...{ stream: 'story-1', commandId: randomUUID(), isNew: true },
        metadata: { ...metadata, at: `2026-01-01T0${hour}:00:00.000Z` },
        command: ({ lastModified }) => {
          seen.push(lastModified);
          return text;
        },
      });
    }
    const [first, third] = ['2026-01-01T00:00:00.000Z', '2026-01-01T02:00:00.000Z'];
    expect(seen).to.deep.equal([null, first, first, third, third]);
  });

  it('reads the new events after a lost race', async () => {
    await write('story-1', 'a');
    await write('story-1', 'b');
    let lost = 0;
    const { state, revision } = await handle(log, writer, {
      stream: 'story-1',
      commandId: randomUUID(),
      isNew: true,
      metadata,
      command: async (current) => {
        lost += 1;
        if (lost <= 2) await byOthers('story-1', current.revision, 'x');
        return 'c';
      },
    });
    expect({ state, revision }).to.deep.equal({ state: 'abxxc', revision: 4 });
    expect(parts).to.deep.equal([WHOLE, WHOLE, since(0), since(1), since(2)]);
  });

  it('reads the whole stream for a repeatable command, and for another decider', async () => {
    await write('story-1', 'a');
    await write('story-1', 'b');
    const again = { stream: 'story-1', commandId: 'mine', metadata, command: () => 'c' } as const;
    const first = await handle(log, writer, again);
    await write('story-1', 'd');
    expect(await handle(log, writer, again)).to.include({ state: first.state, revision: 2, command: null });
    expect((await write('story-1', 'e', { ...writer, evolve: (state) => `${state}.` })).state).to.equal('.....');
    expect(parts).to.deep.equal([WHOLE, WHOLE, WHOLE, since(0), WHOLE, WHOLE]);
  });

  it('reads the whole stream after a restore of its server to an older state', async () => {
    await write('story-1', 'a');
    await write('story-1', 'b');
    await write('story-1', 'c');
    for (const [restored, texts] of [
      ['story-2', ['a', 'x', 'y']],
      ['story-3', ['z']],
      ['story-4', []],
    ] as const) {
      for (const [n, text] of texts.entries()) await byOthers(restored, n - 1, text);
      const elsewhere: EventLog['read'] = (stream, part) => stored.read(stream === 'story-1' ? restored : stream, part);
      const append: EventLog['append'] = (_, ...given) => stored.append(restored, ...given);
      Object.assign(log, { read: elsewhere, append });
      const { state, revision } = await write('story-1', '!');
      expect({ state, revision }).to.deep.equal({ state: `${texts.join('')}!`, revision: texts.length });
    }
  });

  it('keeps its state as it is stored, not as it was decided', async () => {
    const bearing: Decider<string, undefined, Event<'Noted', { note?: string | undefined }>> = {
      initialState: '',
      decide: () => [{ type: 'Noted', data: { note: undefined } }],
      evolve: (state, { data }) => `${state}${Object.hasOwn(data, 'note') ? 'member' : 'none'} `,
    };
    const note = () =>
      handle(log, bearing, {
        stream: 'story-1',
        commandId: randomUUID(),
        isNew: true,
        metadata,
        command: () => undefined,
      });
    await note();
    await note();
    expect((await note()).state).to.equal('none none member ');
  });

  it('keeps states with deep chains, sets and maps', async () => {
    interface Chain {
      readonly earlier: Chain | null;
      readonly texts: ReadonlySet<string>;
      readonly lengths: ReadonlyMap<string, number>;
    }
    const chaining: Decider<Chain | null, string, Written> = {
      initialState: null,
      decide: (text) => [{ type: 'Written', data: { text } }],
      evolve: (earlier, { data: { text } }) => ({ earlier, texts: new Set([text]), lengths: new Map([[text, 1]]) }),
    };
    const envelope = { stream: 'story-1', isNew: true, metadata } as const;
    const chain = (command: () => string) => handle(log, chaining, { ...envelope, commandId: randomUUID(), command });
    const events = Array.from({ length: 8000 }, () => ({ id: randomUUID(), type: 'Written', data: { text: 'a' } }));
    await stored.append('story-1', NO_STREAM, events, { ...metadata, schema: 1, commandId: 'many' });
    await chain(() => 'b');
    await chain(() => 'c');
    expect(parts.at(-1)).to.deep.equal(since(7999));
  });

  describe('with summaries in its events', () => {
    const LAST: StreamPart = { last: 1 };
    /** A text that begins with "=" is the whole story so far. */
    const telling: Decider<string, string, Written> = {
      initialState: '',
      decide: (text, state) => [{ type: 'Written', data: { text: `=${state}${text}` } }],
      evolve: (state, { data: { text } }) => (text.startsWith('=') ? text.slice(1) : state + text),
      saysAll: ({ data }) => data.text.startsWith('='),
    };

    it('reads only the last event, also of another process', async () => {
      const states = [];
      for (const text of ['a', 'b']) states.push((await write('story-1', text, telling)).state);
      await byOthers('story-1', 1, '=xy');
      states.push((await write('story-1', 'c', telling)).state);
      expect(states).to.deep.equal(['a', 'ab', 'xyc']);
      expect(parts).to.deep.equal([LAST, LAST, LAST]);
    });

    it('reads the whole stream if the last event is no summary, then only new events', async () => {
      for (const [n, text] of ['a', '=b', 'c'].entries()) await byOthers('story-1', n - 1, text);
      const read = async () => (await foldedStream(log, telling, 'story-1')).current;
      expect(await read()).to.include({ state: 'bc', revision: 2 });
      await byOthers('story-1', 2, 'd');
      expect(await read()).to.include({ state: 'bcd', revision: 3 });
      expect(parts).to.deep.equal([LAST, WHOLE, LAST, since(2)]);
      expect(await write('story-1', 'e', telling)).to.include({ state: 'bcde', revision: 4 });
      parts = [];
      expect(await read()).to.include({ state: 'bcde', revision: 4 });
      expect(parts).to.deep.equal([LAST]);
    });
  });

  it('drops states that are large, or older than many others', async () => {
    const large = 'x'.repeat(4 * MEBIBYTE - 10);
    for (let n = 0; n <= 4; n += 1) {
      await byOthers(`story-${n}`, NO_STREAM, large);
      for (const text of ['.', '.']) await write(`story-${n}`, text);
    }
    parts = [];
    await write('story-4', '.');
    await write('story-0', '.');
    expect(parts).to.deep.equal([since(1), WHOLE]);
    await write('story-4', 'x'.repeat(10));
    parts = [];
    await write('story-4', '.');
    await write('story-4', '.');
    expect(parts).to.deep.equal([since(3), WHOLE]);
  });

  it('drops small states that are older than tens of thousands of others', async () => {
    await write('story-0', '.');
    await write('story-0', '.');
    const { events, revision } = await stored.read('story-0');
    const read: EventLog['read'] = (stream, part) =>
      stream === 'story-0' ? log.read(stream, part) : Promise.resolve({ events, revision } as never);
    const small = { ...log, read };
    const others = async (count: number): Promise<void> => {
      for (let n = 1; n <= count; n += 1) await foldedStream(small, writer, `story-${n}`);
    };
    parts = [];
    await foldedStream(small, writer, 'story-0');
    await others(30_000);
    await foldedStream(small, writer, 'story-0');
    await others(50_000);
    await foldedStream(small, writer, 'story-0');
    expect(parts).to.deep.equal([WHOLE, since(1), WHOLE]);
  });
});
