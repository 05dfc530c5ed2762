import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { type EventLog, type Position, type StreamPart } from '../../src/core/event-log.js';
import { Problem } from '../../src/core/problem.js';
import { slicesForReader, streamSlices } from '../../src/core/stream-slices.js';

const AT_ONCE = 8;
const FIRST_SLICES = 16;
const READINGS = 32;
/** More than of any of these. */
const MANY = 64;
const MOST_WAITING = 1000;
/** Of more than two slices. */
const LONG = 1200;
const SHORT = 20;

/** A log of one stream, which counts its readings. */
function logOf(length: number) {
  const position = '0' as Position;
  const metadata = { actor: null, at: new Date(0).toISOString(), schema: 1, commandId: randomUUID() };
  const id = randomUUID();
  const event = (revision: number) =>
    ({ id, stream: 'a-1', type: 'Noted', data: {}, revision, position, metadata }) as const;
  const parts: StreamPart[] = [];
  const read = async (_: string, part: StreamPart = { last: length }) => {
    parts.push(part);
    await new Promise(setImmediate);
    const [from, to] = 'to' in part ? [part.from, part.to] : [Math.max(length - part.last, part.from ?? 0), length - 1];
    return { events: Array.from({ length: to + 1 - from }, (_, n) => event(from + n)), revision: to };
  };
  return { log: { read } as unknown as Pick<EventLog, 'read'>, parts };
}

/** Readers that have got a piece read on once they are let. */
function readers({ isEachHeld = false } = {}) {
  const gates: (() => void)[] = [];
  let holding = 0;
  let most = 0;
  const read = async (log: Pick<EventLog, 'read'>, gone?: AbortSignal): Promise<number> => {
    let count = 0;
    for await (const events of slicesForReader(log, 'a-1', { gone })) {
      most = Math.max(most, (holding += 1));
      if (count === 0 || isEachHeld) await new Promise<void>((resolve) => gates.push(resolve));
      holding -= 1;
      count += events.length;
    }
    return count;
  };
  const begun = async (count: number): Promise<void> => {
    while (gates.length < count) await new Promise(setImmediate);
  };
  const letOn = (): void => {
    for (const gate of gates.splice(0)) gate();
  };
  return { read, begun, letOn, most: () => most };
}

describe('requests that read long streams', () => {
  it('hold few slices at once, and all come to the end', async () => {
    const { read, letOn, most } = readers({ isEachHeld: true });
    const { log } = logOf(LONG);
    const counts = Promise.all(Array.from({ length: 5 * AT_ONCE }, () => read(log)));
    const turns = setInterval(letOn, 1);
    expect(new Set(await counts)).to.deep.equal(new Set([LONG]));
    clearInterval(turns);
    expect(most()).to.equal(AT_ONCE);
  });

  it('delay neither short streams nor what no request reads', async () => {
    const { read, begun, letOn } = readers();
    const long = Array.from({ length: AT_ONCE }, () => read(logOf(LONG).log));
    await begun(AT_ONCE);
    const short = read(logOf(SHORT).log);
    await begun(AT_ONCE + 1);
    let count = 0;
    for await (const events of streamSlices(logOf(LONG).log, 'a-1')) count += events.length;
    expect(count).to.equal(LONG);
    letOn();
    expect(await short).to.equal(SHORT);
    await Promise.all(long);
  });

  it('end with their clients, also while they wait', async () => {
    const { read, begun, letOn } = readers();
    const reason = new Error('the client has left');
    const gone = new AbortController();
    const failure = (reading: Promise<unknown>) => reading.catch((error: unknown) => error);
    const { log, parts } = logOf(LONG);
    const first = failure(read(log, gone.signal));
    await begun(1);
    const others = Array.from({ length: AT_ONCE - 1 }, () => read(logOf(LONG).log));
    await begun(AT_ONCE);
    const { log: waiting, parts: none } = logOf(LONG);
    const last = failure(read(waiting, gone.signal));
    await new Promise(setImmediate);
    gone.abort(reason);
    expect(await last).to.equal(reason);
    expect(none).to.have.length(1);
    letOn();
    expect(await first).to.equal(reason);
    expect(parts).to.have.length(2);
    await Promise.all(others);
    const again = read(logOf(LONG).log);
    await begun(1);
    letOn();
    expect(await again).to.equal(LONG);
  });

  /** How many of many readers read at once what is more than a slice. */
  const mostAtOnce = async (follows: boolean): Promise<number> => {
    const under = new Set<number>();
    let most = 0;
    const read = async (reader: number): Promise<void> => {
      for await (const events of slicesForReader(logOf(LONG).log, 'a-1', { follows })) {
        if (events.length > 0) most = Math.max(most, under.add(reader).size);
      }
      under.delete(reader);
    };
    await Promise.all(Array.from({ length: MANY }, (_, reader) => read(reader)));
    return most;
  };

  it('are few at once, before any has come to something that it holds', async () => {
    expect(await mostAtOnce(false)).to.equal(READINGS);
    expect(await mostAtOnce(true)).to.equal(READINGS);
  });

  it('are not refused where they follow another one of the same request, however many wait', async () => {
    const read = async (): Promise<number> => {
      let count = 0;
      for await (const events of slicesForReader(logOf(LONG).log, 'a-1', { follows: true })) count += events.length;
      return count;
    };
    // All wait for their first slice, and then most of them for further ones.
    const counts = await Promise.all(Array.from({ length: MOST_WAITING + 2 * READINGS }, read));
    expect(new Set(counts)).to.deep.equal(new Set([LONG]));
  });

  it('are few that find out whether there is more', async () => {
    const { log } = logOf(SHORT);
    let [underWay, most] = [0, 0];
    const read: typeof log.read = async (...asked) => {
      most = Math.max(most, (underWay += 1));
      try {
        return await log.read(...asked);
      } finally {
        underWay -= 1;
      }
    };
    const whole = async (): Promise<number> => {
      let count = 0;
      for await (const events of slicesForReader({ read }, 'a-1')) count += events.length;
      return count;
    };
    expect(new Set(await Promise.all(Array.from({ length: MANY }, whole)))).to.deep.equal(new Set([SHORT]));
    expect(most).to.equal(FIRST_SLICES);
  });

  it('read no more than the page that they need', async () => {
    const { log, parts } = logOf(LONG);
    let count = 0;
    for await (const events of slicesForReader(log, 'a-1', { to: SHORT })) count += events.length;
    expect(count).to.equal(SHORT);
    expect(parts).to.deep.equal([{ from: 0, to: SHORT - 1 }]);
  });

  it('are refused where too many wait', async () => {
    const { read, begun, letOn } = readers();
    const clients = Array.from({ length: READINGS - AT_ONCE + MOST_WAITING }, () => new AbortController());
    const under = Array.from({ length: AT_ONCE }, () => read(logOf(LONG).log));
    await begun(AT_ONCE);
    const { log, parts } = logOf(LONG);
    const waiting: Promise<unknown>[] = [];
    for (const { signal } of clients) {
      waiting.push(read(log, signal).catch(() => undefined));
      // Each comes as far as the wait for its turn.
      while (parts.length < waiting.length) await new Promise(setImmediate);
    }
    await new Promise(setImmediate);
    const refused = await read(logOf(LONG).log).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Problem).with.include({ kind: 'unavailable', retryAfter: 2 });
    for (const client of clients) client.abort(new Error('the client has left'));
    await Promise.all(waiting);
    letOn();
    await Promise.all(under);
  });
});
