import { expect } from 'chai';
import { type EventLog } from '../../../src/core/event-log.js';
import { DEMO_PLATFORM } from '../../../src/demo/demo-platform.js';
import { type ApplyOptions } from '../../../src/platform-file/apply/apply.js';
import { passwords, platformFixture, type PlatformFixture } from '../platform-fixture.js';

const alice = (more = ''): string =>
  `users: [{ username: alice, real_name: Alice, email: alice@example.org, password: first${more} }]`;

describe('applying a platform file beside other processes', () => {
  let platform: PlatformFixture;

  beforeEach(async () => {
    platform = await platformFixture();
  });
  afterEach(() => platform.close());

  it('undoes nothing that another process changed after the plan was made', async () => {
    const people = ['ann', 'bob', 'cy'].map((name) => `{ username: ${name}, real_name: A, email: a@b, password: x }`);
    const hydra = (members: string): string => `projects: [{ shortname: hydra, label: Hydra, ${members} }]`;
    await platform.apply(`users: [${people.join(', ')}]\n${hydra('admins: [ann], members: [bob]')}`);
    const { log } = platform.service;
    let others = 0;
    const slow: EventLog = {
      ...log,
      // The plan is made; before its first step another process is through with its own.
      read: async (stream, ...rest) => {
        others += stream.startsWith('project-') ? 1 : 0;
        if (others === 1 && stream.startsWith('project-')) await platform.apply(hydra('members: []'));
        return log.read(stream, ...rest);
      },
    };
    await platform.apply(hydra('admins: [cy]'), { log: slow });
    const { definitions } = platform.service;
    const project = definitions.projectNamed('hydra');
    expect(project?.members).to.deep.equal([]);
    expect(project?.admins).to.deep.equal([definitions.userNamed('cy')?.id]);
  });

  it('undoes nothing that another process changed of a tracker after the plan was made', async () => {
    const bugs = (more: string): string =>
      `projects: [{ shortname: hydra, label: Hydra, trackers: [{ item_name: bug, label: Bugs, fields: []${more} }] }]`;
    await platform.apply(bugs(''));
    const { log, definitions } = platform.service;
    let others = 0;
    const slow: EventLog = {
      ...log,
      read: async (stream, ...rest) => {
        if (stream.startsWith('tracker-')) others += 1;
        if (others === 1 && stream.startsWith('tracker-')) await platform.apply(bugs(', description: theirs'));
        return log.read(stream, ...rest);
      },
    };
    await platform.apply(bugs(', color_name: fiesta-red'), { log: slow });
    const project = definitions.projectNamed('hydra');
    const [tracker] = definitions.trackersOf(project?.id ?? 0);
    expect(tracker?.view).to.include({ description: 'theirs', color: 'fiesta-red' });
  });

  it('undoes nothing that another process changes while the plan is made', async () => {
    const ann = '{ username: ann, real_name: Ann, email: ann@example.org, password: x }';
    const hydra = (members: string): string => `{ shortname: hydra, label: Hydra, ${members} }`;
    const others = Array.from({ length: 60 }, (_, n) => `{ shortname: other${n}, label: Other }`);
    const text = (members: string): string => `projects: [${[hydra(members), ...others].join(', ')}]`;
    await platform.apply(`users: [${ann}]\n${text('members: [ann]')}`);
    const { definitions } = platform.service;
    let other: Promise<unknown> | undefined;
    const isWaiting = (): boolean => other !== undefined && definitions.projectNamed('hydra')!.members.length > 0;
    const slow: ApplyOptions['definitions'] = {
      ...definitions,
      projectNamed: (shortname) => {
        if (shortname === 'other0') other ??= platform.apply(`projects: [${hydra('members: []')}]`);
        // A slice of the plan that takes its time: all else has a turn after it.
        const began = performance.now();
        while (isWaiting() && performance.now() - began < 20);
        return definitions.projectNamed(shortname);
      },
    };
    await platform.apply(text('admins: [ann]'), { definitions: slow });
    await other;
    const { admins, members } = definitions.projectNamed('hydra')!;
    expect({ admins, members }).to.deep.equal({ admins: [definitions.userNamed('ann')?.id], members: [] });
  });

  it('plans anew what another process changed of the settings after the plan was made', async () => {
    await platform.apply(alice());
    const { log } = platform.service;
    let isFirst = true;
    let plans = 0;
    const slow: EventLog = {
      ...log,
      end: () => {
        plans += 1;
        return log.end();
      },
      read: async (name, ...rest) => {
        if (isFirst && name.startsWith('platform-')) {
          isFirst = false;
          await platform.apply('settings: { artifact_deletion_limit: 5 }');
        }
        return log.read(name, ...rest);
      },
    };
    expect(await platform.apply('settings: { anonymous_access: false }', { log: slow })).to.have.length(1);
    // Before each plan, and at the end.
    expect(plans).to.equal(3);
  });

  it('hashes a password once, however often it plans anew', async () => {
    const hashed: string[] = [];
    const slow: ApplyOptions['passwords'] = {
      ...passwords,
      hash: async (password) => {
        hashed.push(password);
        await platform.apply(`settings: { artifact_deletion_limit: ${hashed.length} }`);
        return passwords.hash(password);
      },
    };
    const text = `settings: { anonymous_access: false }\n${alice()}`;
    expect(await platform.apply(text, { passwords: slow })).to.have.length(2);
    expect(hashed).to.deep.equal(['first']);
  });

  it('plans for what other processes change while it verifies passwords', async () => {
    const bob = '{ username: bob, real_name: Bob, email: bob@example.org, password: second }';
    // So that bob is looked for before alice's password is verified, during which he is registered.
    const both = alice().replace('[', `[${bob}, `);
    const hydra = (label: string): string => `projects: [{ shortname: hydra, label: ${label}, members: [alice] }]`;
    await platform.apply(`${alice()}\n${hydra('Hydra')}`);
    const verified: string[] = [];
    const hashed: string[] = [];
    const slow: ApplyOptions['passwords'] = {
      hash: (password) => {
        hashed.push(password);
        return passwords.hash(password);
      },
      verify: async (hash, password) => {
        verified.push(password);
        await platform.apply(`${both}\n${hydra(`Hydra ${verified.length}`)}`);
        return passwords.verify(hash, password);
      },
    };
    const text = `${both}\n${hydra('Hydra').replace('members: [alice]', 'members: []')}`;
    expect(await platform.apply(text, { passwords: slow })).to.have.length(2);
    expect({ verified, hashed }).to.deep.equal({ verified: ['first', 'second'], hashed: [] });
    const project = platform.service.definitions.projectNamed('hydra');
    expect(project).to.deep.include({ label: 'Hydra', members: [] });
  });

  it('changes a password that another process changes while it is verified', async () => {
    await platform.apply(alice());
    const verified: string[] = [];
    const slow: ApplyOptions['passwords'] = {
      ...passwords,
      verify: async (hash, password) => {
        verified.push(hash);
        await platform.apply(alice().replace('first', 'second'));
        return passwords.verify(hash, password);
      },
    };
    expect(await platform.apply(alice(), { passwords: slow })).to.deep.equal(['change the password of user alice']);
    expect(verified).to.deep.equal(['hash of first', 'hash of second']);
    expect(platform.service.definitions.userNamed('alice')?.passwordHash).to.equal('hash of first');
  });

  it('gives nothing before the read models show what it took away', async () => {
    const text = (anonymous: boolean, access: string, label: string): string => `
settings: { anonymous_access: ${anonymous} }
projects:
  - shortname: hydra
    label: ${label}
    trackers: [{ item_name: bug, label: Bugs, permissions: { access: [${access}] }, fields: [] }]`;
    await platform.apply(text(false, 'all_users', 'Hydra'));
    const { log, readModels } = platform.service;
    const seen: string[] = [];
    const see = (what: string): void => {
      if (seen.at(-1) !== what) seen.push(what);
    };
    await platform.apply(text(true, 'project_members', 'Other'), {
      log: {
        ...log,
        append: (stream, ...rest) => {
          see(stream.split('-')[0] ?? '');
          return log.append(stream, ...rest);
        },
      },
      readModels: {
        ...readModels,
        caughtUp: (...args) => {
          see('shown');
          return readModels.caughtUp(...args);
        },
      },
    });
    expect(seen).to.deep.equal(['shown', 'tracker', 'shown', 'project', 'shown', 'platform', 'shown']);
  });

  it('may happen twice at once', async () => {
    const [one, other] = await Promise.all([platform.apply(DEMO_PLATFORM), platform.apply(DEMO_PLATFORM)]);
    expect(new Set([...one, ...other])).to.include('define tracker kraken/risk');
    expect(await platform.apply(DEMO_PLATFORM)).to.deep.equal([]);
    const events = await platform.events();
    expect(events.filter((event) => event.endsWith(' UserRegistered'))).to.have.length(4);
    expect(events.filter((event) => event.endsWith(' TrackerDefined'))).to.have.length(3);
  });
});
