import { expect } from 'chai';
import { type EventLog, type Position } from '../../../src/core/event-log.js';
import { nameStream, reserveName, type UniqueName } from '../../../src/core/name-reservation.js';
import { PENDING_NAMES } from '../../../src/names/pending-names-view.js';
import { interruptedNames } from '../../../src/names/recovery.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';
import { settled } from '../../../src/platform-file/apply/settled.js';
import { appendNewer } from '../../support/newer-release.js';
import { resumed } from '../../support/resumed.js';
import { platformFixture, type PlatformFixture } from '../platform-fixture.js';

const user = (name: string): string => `{ username: ${name}, real_name: A, email: a@b, password: ${name} }`;
const hydra = (trackers: string): string => `{ shortname: hydra, label: Hydra, trackers: [${trackers}] }`;
const file = (users: string, projects: string): string => `users: [${users}]\nprojects: [${projects}]`;
const OLD = file(user('ann'), hydra(''));

const KINDS = [
  {
    kind: 'user',
    text: file(`${user('ann')}, ${user('mal')}`, hydra('')),
    type: 'UserRegistered',
    finished: 'finish the creation of user mal, which was cut off [widens access]',
    pruned: 'suspend user mal',
  },
  {
    kind: 'project',
    text: file(user('ann'), `${hydra('')}, { shortname: open, label: Open }`),
    type: 'ProjectRegistered',
    finished: 'finish the creation of project open, which was cut off',
    pruned: 'suspend project open',
  },
  {
    kind: 'tracker',
    text: file(user('ann'), hydra('{ item_name: bug, label: Bugs, fields: [] }')),
    type: 'TrackerDefined',
    finished: 'finish the creation of tracker hydra/bug, which was cut off',
    pruned: 'delete tracker hydra/bug',
  },
];

/** Of a process that ends between the name and the event. */
const endingBefore = (type: string, log: EventLog): EventLog => ({
  ...log,
  append: (stream, expected, events, metadata) =>
    events.some((event) => event.type === type)
      ? Promise.reject(new Error('The process has ended'))
      : log.append(stream, expected, events, metadata),
});

describe('applying a platform file after a creation was cut off', () => {
  let platform: PlatformFixture;
  beforeEach(async () => {
    platform = await platformFixture();
    await platform.apply(OLD);
  });
  afterEach(() => platform.close());

  const caughtUp = async (): Promise<void> => {
    const { log, readModels } = platform.service;
    expect(await readModels.caughtUp(PENDING_NAMES, (await log.end())!, 10_000)).to.equal(true);
  };
  const cutOff = async (text: string, type: string): Promise<void> => {
    await rejection(platform.apply(text, { log: endingBefore(type, platform.service.log) }));
    await caughtUp();
  };

  /** Nothing bears the name yet. */
  const reserve = async (unique: UniqueName, id: number, creation: object): Promise<void> => {
    const { log, clock } = platform.service;
    const by = { actor: null, at: clock().toISOString() };
    await reserveName(log, unique, { id, commandId: `create-${unique.kind}-${id}`, creation }, by);
    await caughtUp();
  };

  for (const { kind, text, type, finished, pruned } of KINDS) {
    it(`plans the ${kind} as a step of its own, and writes nothing`, async () => {
      await cutOff(text, type);
      const events = await platform.events();
      expect(await platform.plan(OLD, { prune: true })).to.deep.equal([finished]);
      expect(await platform.events()).to.deep.equal(events);
    });

    it(`prunes the ${kind} that another file leaves out, and leaves nothing to a recovery`, async () => {
      await cutOff(text, type);
      expect(await platform.apply(OLD, { prune: true })).to.deep.equal([finished, pruned]);
      const events = await platform.events();
      expect(await resumed(interruptedNames(platform.service), new Date('2100-01-01'))).to.equal(0);
      expect(await platform.events()).to.deep.equal(events);
      expect(await platform.plan(OLD, { prune: true })).to.deep.equal([]);
    });

    it(`creates the ${kind} once when the same file is applied again`, async () => {
      await cutOff(text, type);
      const count = async (): Promise<number> =>
        (await platform.events()).filter((event) => event.endsWith(` ${type}`)).length;
      const before = await count();
      expect(await platform.apply(text)).to.deep.equal([finished]);
      expect(await count()).to.equal(before + 1);
      expect(await platform.apply(text)).to.deep.equal([]);
    });
  }

  it('names the creation among what was applied before an error', async () => {
    await cutOff(KINDS[0]!.text, 'UserRegistered');
    const log = endingBefore('ProjectRegistered', platform.service.log);
    const failed = await rejection(platform.apply(KINDS[1]!.text, { log }));
    const words = 'The process has ended. 1 change was applied before: apply the file again';
    expect(failed).to.have.property('message', words);
  });

  it('finishes no further one once the application is to end', async () => {
    const account = { realName: 'A', email: 'a@b', passwordHash: 'x', siteAdmin: false };
    for (const [userId, username] of [
      [150, 'mal'],
      [151, 'eve'],
    ] as const) {
      await reserve({ kind: 'user', scope: 0, name: username }, userId, { userId, username, ...account });
    }
    const ending = new AbortController();
    const { log } = platform.service;
    const ended: EventLog = {
      ...log,
      append: async (...append) => {
        ending.abort(new Error('Stopped'));
        return log.append(...append);
      },
    };
    const failed = await rejection(platform.apply(OLD, { log: ended, ended: ending.signal }));
    expect(failed).to.have.property('message', 'Stopped. 1 change was applied before: apply the file again');
    expect((await platform.events()).filter((event) => event.endsWith(' UserRegistered'))).to.have.length(2);
    await caughtUp();
    expect(await platform.plan(OLD)).to.have.length(1);
  });

  it('leaves a repository alone that a user is about to create', async () => {
    await reserve({ kind: 'svn', scope: 101, name: 'code' }, 7, {});
    const events = await platform.events();
    expect(await platform.plan(OLD)).to.deep.equal([]);
    expect(await platform.apply(OLD)).to.deep.equal([]);
    expect(await platform.events()).to.deep.equal(events);
  });

  it('leaves a creation alone that a newer release has changed, and applies the rest', async () => {
    await cutOff(KINDS[0]!.text, 'UserRegistered');
    await appendNewer(platform.service.log, nameStream({ kind: 'user', scope: 0, name: 'mal' }));
    await caughtUp();
    const steps = await platform.apply(KINDS[1]!.text);
    expect(steps).to.have.length(1);
    expect(steps[0]).to.match(/^register project open/);
    await caughtUp();
    expect(await platform.plan(KINDS[1]!.text)).to.deep.equal([]);
  });
});

describe('an application that waits for read models that stand still', () => {
  it('ends with the reason of the signal', async () => {
    const ending = new AbortController();
    const readModels = { caughtUp: () => new Promise<boolean>(() => undefined) };
    const log = { end: () => Promise.resolve('0000000000000001' as Position) };
    const waiting = rejection(settled({ log, readModels, ended: ending.signal }));
    const reason = new Error('Stopped');
    ending.abort(reason);
    expect(await waiting).to.equal(reason);
  });
});
