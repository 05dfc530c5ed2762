import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { withIds } from '../../src/core/event-id.js';
import { NO_STREAM } from '../../src/core/event-log.js';
import { watchedWaits } from '../../src/composition/reading/vain-waits.js';
import { LeaseRefused } from '../../src/core/lease.js';
import { operations, type Operations } from '../../src/operations/operations.js';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';
import { userStream } from '../../src/users/user-events.js';
import { passwords, platformFixture, type PlatformFixture } from '../platform-file/platform-fixture.js';
import { pausingLog } from '../support/pausing-log.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';

const input = (text: string) => ({ file: parsePlatformFile(text).file, prune: false, env: {} });
const ann = '{ username: ann, real_name: Ann, email: ann@example.org }';
const bob = '{ username: bob, real_name: Bob, email: bob@example.org, password: second }';

describe('the commands of operations', () => {
  let platform: PlatformFixture;
  beforeEach(async () => {
    platform = await platformFixture();
  });
  afterEach(() => platform.close());

  const ignore = (): void => undefined;
  const run = (command: 'plan' | 'export', commands: Operations) =>
    commands[command]?.(input(`users: [${ann}]`), ignore);
  /** Without waiting for the read models. */
  const registerAnn = async (): Promise<void> => {
    const data = { userId: 102, username: 'ann', realName: 'Ann', email: 'ann@example.org', passwordHash: 'x' };
    const stream = userStream(102);
    const events = withIds(stream, 'ann', [{ type: 'UserRegistered', data: { ...data, siteAdmin: false } }]);
    const metadata = { actor: null, at: '2026-03-01T12:00:00.000Z', schema: 1, commandId: 'ann' } as const;
    await platform.service.log.append(stream, NO_STREAM, events, metadata);
  };

  it('plan and export what the log holds when they are given', async () => {
    const commands = operations(platform.service, passwords);
    // Loads their modules.
    await rejection(Promise.all([run('plan', commands), run('export', commands)]));
    await registerAnn();
    const outcomes = await Promise.all([run('plan', commands), run('export', commands)]);
    expect(outcomes[0]).to.deep.equal({ steps: [] });
    expect(outcomes[1]).to.have.nested.property('users[0].username', 'ann');
  });

  for (const command of ['plan', 'export'] as const) {
    it(`refuse to ${command} while the read models are behind the log, which no client waits for`, async () => {
      await registerAnn();
      const { service } = platform;
      const closing = new AbortController();
      const behind = { ...service.readModels, caughtUp: () => Promise.resolve(false) };
      const { vainWaits, ...watched } = watchedWaits(behind, closing.signal);
      const refused = await rejection(Promise.resolve(run(command, operations({ ...service, ...watched }, passwords))));
      expect(refused).to.include({ kind: 'unavailable', message: 'The read models are behind', retryAfter: 30 });
      expect(vainWaits.isBehind()).to.equal(false);
      closing.abort();
    });
  }

  it('rebuild so that all that are named read the log together', async () => {
    const { service } = platform;
    const together: (readonly string[])[] = [];
    const rebuild: typeof service.projections.rebuild = (...asked) => {
      together.push(asked[2]);
      return service.projections.rebuild(...asked);
    };
    const commands = operations({ ...service, projections: { ...service.projections, rebuild } }, passwords);
    const names = ['trackers', 'users'];
    const results = (await commands['rebuild']?.({ names }, ignore)) as readonly RebuildResult[];
    expect(results.map(({ projection, outcome }) => [projection, outcome])).to.deep.equal(
      names.map((name) => [name, 'served']),
    );
    expect(together).to.deep.equal([names, names]);
  });

  it('rebuild once what is named twice', async () => {
    const { service } = platform;
    const rebuilt: string[] = [];
    const rebuild = (name: string): Promise<RebuildResult> => {
      rebuilt.push(name);
      return Promise.resolve({ outcome: 'failed', projection: name, reason: 'not tried' });
    };
    const commands = operations({ ...service, projections: { ...service.projections, rebuild } }, passwords);
    await commands['rebuild']?.({ names: ['users', 'trackers', 'users'] }, ignore);
    expect(rebuilt).to.deep.equal(['users', 'trackers']);
  });

  it('export no part of a file that is being applied', async () => {
    const log = { ...platform.service.log, ...pausingLog(platform.service.log) };
    const commands = operations({ ...platform.service, log }, passwords);
    const paused = log.pauseAt((stream) => stream.startsWith('project-'));
    const applying = commands.apply(input(`users: [${bob}]\nprojects: [{ shortname: lab, label: Lab }]`), ignore);
    const goOn = await paused;
    const exporting = Promise.resolve(run('export', commands));
    await Promise.race([exporting, sleep(500)]);
    goOn();
    expect(await exporting).to.have.nested.property('projects[0].shortname', 'lab');
    await applying;
  });

  for (const command of ['plan', 'export'] as const) {
    it(`${command} nothing once its command has ended while another one applied a file`, async () => {
      const log = { ...platform.service.log, ...pausingLog(platform.service.log) };
      const commands = operations({ ...platform.service, log }, passwords);
      const paused = log.pauseAt((stream) => stream.startsWith('user-'));
      const applying = commands.apply(input(`users: [${bob}]`), ignore);
      const goOn = await paused;
      const ended = AbortSignal.abort(new Error('The command has ended'));
      const refused = rejection(Promise.resolve(commands[command]?.(input('projects: []'), ignore, ended)));
      goOn();
      expect(String(await refused)).to.contain('has ended');
      await applying;
    });
  }

  it('apply and plan nothing while the lease is refused, but to what is so already', async () => {
    const lab = 'projects: [{ shortname: lab, label: Lab }]';
    await platform.apply(lab);
    const error = new LeaseRefused('the disk is full');
    const commands = operations({ ...platform.service, withLease: () => Promise.reject(error) }, passwords);
    expect(await commands.apply(input(lab), ignore)).to.deep.equal({ steps: [] });
    for (const text of [lab.replace('Lab', 'New'), 'projects: [{ shortname: lab, label: Lab, members: [nobody] }]']) {
      expect(await rejection(commands.apply(input(text), ignore))).to.equal(error);
    }
    for (const command of ['plan', 'export'] as const) {
      expect(await rejection(Promise.resolve(run(command, commands)))).to.equal(error);
    }
  });

  it('wait for the lease no longer than their command lasts', async () => {
    const withLease = (_name: string, _work: unknown, ended?: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) => {
        ended?.addEventListener('abort', () => {
          reject(ended.reason as Error);
        });
      });
    const commands = operations({ ...platform.service, withLease }, passwords);
    const ending = new AbortController();
    const waiting = [
      commands.apply(input('projects: []'), ignore, ending.signal),
      commands.plan?.(input('projects: []'), ignore, ending.signal),
      commands.export?.({}, ignore, ending.signal),
    ].map((outcome) => rejection(Promise.resolve(outcome)));
    ending.abort(new Error('Stopped'));
    for (const refused of await Promise.all(waiting)) expect(refused).to.include({ message: 'Stopped' });
  });

  it('plan no creation that an application is about to make', async () => {
    const log = { ...platform.service.log, ...pausingLog(platform.service.log) };
    const commands = operations({ ...platform.service, log }, passwords);
    const paused = log.pauseAt((stream) => stream.startsWith('user-'));
    const applying = commands.apply(input(`users: [${bob}]`), ignore);
    const goOn = await paused;
    const planning = Promise.resolve(commands.plan?.(input('projects: []'), ignore));
    await Promise.race([planning, sleep(500)]);
    goOn();
    expect(await planning).to.deep.equal({ steps: [] });
    await applying;
  });

  for (const [title, ends, count] of [
    ['takes no step once its command has ended while passwords were verified', { done: 1 }, 0],
    ['takes no step once its command has ended while passwords were hashed', { done: 2 }, 0],
    ['takes no further step once its command has ended', { done: 3 }, 1],
  ] as const) {
    it(`apply ${title}`, async () => {
      const ending = new AbortController();
      const end = (): void => {
        ending.abort(new Error('The command has ended'));
      };
      const text = `users: [${bob}]\nprojects: [{ shortname: lab, label: Lab }]`;
      const report = (progress: unknown): void => {
        // As the end of a connection: after whatever goes on at once.
        if (isDeepStrictEqual(progress, ends)) setImmediate(end);
      };
      const commands = operations(platform.service, passwords);
      expect(String(await rejection(commands.apply(input(text), report, ending.signal)))).to.contain('has ended');
      expect((await platform.events()).filter((event) => / (User|Project)Registered$/.test(event))).to.have.length(
        count,
      );
      await commands.apply(input(text), ignore);
      expect((await platform.events()).filter((event) => / (User|Project)Registered$/.test(event))).to.have.length(2);
    });
  }

  for (const command of ['plan', 'apply'] as const) {
    it(`${command} verifies no further password once its command has ended`, async () => {
      const text = `users: [${bob}, { username: cat, real_name: Cat, email: cat@example.org, password: third }]`;
      await operations(platform.service, passwords).apply(input(text), ignore);
      const verified: string[] = [];
      const ending = new AbortController();
      const verify = (hash: string, password: string): Promise<boolean> => {
        verified.push(password);
        ending.abort(new Error('The command has ended'));
        return passwords.verify(hash, password);
      };
      const work = operations(platform.service, { ...passwords, verify })[command]?.(
        input(text),
        ignore,
        ending.signal,
      );
      expect(String(await rejection(Promise.resolve(work)))).to.contain('has ended');
      expect(verified).to.deep.equal(['second']);
    });
  }

  it('apply no further step once another process may apply a file', async () => {
    const losing = new AbortController();
    const { service } = platform;
    const withLease: typeof service.withLease = (_, work) => work(losing.signal);
    const text = `users: [${bob}]\nprojects: [{ shortname: lab, label: Lab }]`;
    const applying = operations({ ...service, withLease }, passwords).apply(
      input(text),
      (progress) => {
        // The password is verified, then hashed. The third is the first step.
        if (isDeepStrictEqual(progress, { done: 3 })) losing.abort(new Error('The lease of platform is lost'));
      },
      new AbortController().signal,
    );
    expect(await rejection(applying)).to.have.property(
      'message',
      'The lease of platform is lost. 1 change was applied before: apply the file again',
    );
    expect((await platform.events()).filter((event) => / (User|Project)Registered$/.test(event))).to.have.length(1);
  });
});
