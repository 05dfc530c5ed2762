import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { initialStatus, type ProjectionStatus } from '../../projections/engine/projection-status.js';
import { attended, longestAbsence, Unattended } from '../../src/cli/attendance.js';

const NAMES = ['artifacts', 'files', 'users'];
const NEVER = new Promise<void>(() => undefined);
const TIMING = { lookEvery: 20, firstWord: 60, wordEvery: 1000, giveUp: 5000 };

const without = (...absent: readonly string[]): readonly ProjectionStatus[] =>
  NAMES.map((name) => ({
    ...initialStatus({ name, version: 1 }),
    ...(absent.includes(name) && { isUnattended: true as const }),
  }));

describe('the longest absence of workers', () => {
  it('is that of one projection, and ends with it', async () => {
    const since = new Map<string, number>();
    const absence = (...names: readonly string[]): number => longestAbsence(since, names);
    expect(absence()).to.equal(0);
    expect(absence('files')).to.equal(0);
    await sleep(60);
    expect(absence('files', 'users')).to.be.above(50);
    expect(absence('users')).to.be.below(50);
    expect(absence()).to.equal(0);
  });
});

describe('a command over servers that needs projections', () => {
  let absent: readonly string[];
  let said: string[];
  let over: AbortController;
  beforeEach(() => {
    [absent, said, over] = [[], [], new AbortController()];
  });
  afterEach(() => {
    over.abort();
  });

  /** What keeps the command from leaving them to the workers; null without. */
  const refusal = async (
    command: string,
    names?: readonly string[],
    ready = NEVER,
    unattendedMs = 300,
  ): Promise<unknown> => {
    const projections = {
      names: NAMES,
      ready,
      status: () => Promise.resolve(without(...absent)),
      rebuild: () => Promise.reject(new Error('is not asked for')),
      close: () => Promise.resolve(),
    };
    const input = names === undefined ? {} : { names };
    const say = (line: string): unknown => said.push(line);
    const given = { command, input, unattendedMs, say, timing: TIMING, over: over.signal };
    return attended({ projections }, given).then(
      () => null,
      (error: unknown) => error,
    );
  };

  it('leaves them to their workers', async () => {
    for (const command of ['apply', 'plan', 'rebuild']) expect(await refusal(command), command).to.equal(null);
    expect(said).to.deep.equal([]);
  });

  it('does the work of a worker if one of them has had none for long, and names it before', async () => {
    absent = ['files'];
    for (const [command, names] of [['apply'], ['rebuild', []], ['rebuild', ['users', 'files']], ['plan']] as const) {
      said = [];
      expect(await refusal(command, names), command).to.be.instanceOf(Unattended);
      expect(said).to.deep.equal(['Waiting until each projection has a worker: none for files']);
    }
  });

  it('waits for a worker that is away for a moment', async () => {
    absent = ['files', 'users'];
    const waited = refusal('apply', undefined, NEVER, TIMING.giveUp);
    while (said.length === 0) await sleep(5);
    absent = [];
    expect(await waited).to.equal(null);
  });

  it('rebuilds a projection through its worker, though another one has none', async () => {
    absent = ['files'];
    expect(await refusal('rebuild', ['artifacts', 'users'])).to.equal(null);
  });

  it('needs no worker to read from read models that are as far as the log', async () => {
    absent = ['files'];
    const ready = Promise.resolve();
    for (const command of ['plan', 'export']) expect(await refusal(command, undefined, ready), command).to.equal(null);
    expect(await refusal('apply', undefined, ready)).to.be.instanceOf(Unattended);
  });
});
