import { expect } from 'chai';
import pino from 'pino';
import { LeaseLost, LeaseRefused } from '../../src/core/lease.js';
import { Problem } from '../../src/core/problem.js';
import { applyAtStart } from '../../src/operations/apply-file.js';
import { operations, type Operations } from '../../src/operations/operations.js';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';
import { passwords, platformFixture, type PlatformFixture } from '../platform-file/platform-fixture.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';

const FILE = parsePlatformFile('projects: [{ shortname: lab, label: Lab }]');

describe('a platform file at the start', () => {
  let platform: PlatformFixture;
  let lines: Record<string, unknown>[];
  beforeEach(async () => {
    platform = await platformFixture();
    lines = [];
  });
  afterEach(() => platform.close());

  const shortnames = () => platform.service.definitions.projects().map(({ shortname }) => shortname);
  /** Commands that fail with these errors first, one after the other. */
  const failing = (...errors: readonly Error[]): Operations => {
    const left = [...errors];
    const commands = operations(platform.service, passwords);
    return {
      ...commands,
      apply: async (...given) => {
        const error = left.shift();
        if (error !== undefined) throw error;
        return commands.apply(...given);
      },
    };
  };
  const start = (commands: Operations, onServers: boolean, end = new AbortController().signal): Promise<void> => {
    const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
    return applyAtStart(FILE, commands, { onServers, end, logger: pino({ base: null, timestamp: false }, { write }) });
  };

  const lost = new LeaseLost('platform');
  for (const [title, error] of [
    ['the lease was lost', lost],
    ['the lease was lost between two changes', new Error(`${lost.message}. 2 changes were applied`, { cause: lost })],
    ['a server does not answer', new Problem('unavailable', 'The event log does not answer; retry later')],
  ] as const) {
    it(`is applied again on servers after ${title}`, async () => {
      await start(failing(error, error), true);
      expect(shortnames()).to.deep.equal(['lab']);
      const told = { level: 40, reason: error.message, msg: 'PLATFORM_FILE is not applied yet, retrying' };
      expect(lines.map(({ level, reason, msg }) => ({ level, reason, msg }))).to.deep.equal([told, told]);
    });
  }

  it('leaves alone what the file does not list', async () => {
    await platform.apply('projects: [{ shortname: older, label: Older }]');
    await start(failing(), false);
    const states = platform.service.definitions.projects().map(({ shortname, status }) => [shortname, status]);
    expect(Object.fromEntries(states)).to.deep.equal({ older: 'active', lab: 'active' });
  });

  it('is not applied again after any other error', async () => {
    const error = new Error('a defect');
    expect(await rejection(start(failing(error), true))).to.include({ message: 'a defect', cause: error });
    expect([shortnames(), lines]).to.deep.equal([[], []]);
  });

  it('is not applied again on the embedded stores', async () => {
    const error = new Problem('unavailable', 'the disk is full');
    expect(await rejection(start(failing(error), false))).to.include({ message: 'the disk is full', cause: error });
  });

  it('is not applied again once the service stops', async () => {
    const ending = new AbortController();
    const starting = rejection(start(failing(lost, lost, lost, lost, lost, lost, lost), true, ending.signal));
    ending.abort(new Error('The service is stopping'));
    expect(await starting).to.include({ message: 'The service is stopping' });
    expect(shortnames()).to.deep.equal([]);
  });

  it('leaves the start of a service alone where its lease is refused, and is named in the log', async () => {
    await start(failing(new LeaseRefused('the disk is full')), true);
    expect(shortnames()).to.deep.equal([]);
    const msg = 'PLATFORM_FILE is not applied: MongoDB refuses writes';
    expect(lines).to.deep.equal([{ level: 50, reason: 'the disk is full', msg }]);
  });
});
