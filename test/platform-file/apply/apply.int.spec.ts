import { expect } from 'chai';
import { passwords as hashedPasswords } from '../../../src/authentication/password.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { type EventLog } from '../../../src/core/event-log.js';
import { type IdAllocator } from '../../../src/core/ids.js';
import { Problem } from '../../../src/core/problem.js';
import { DEMO_PLATFORM } from '../../../src/demo/demo-platform.js';
import { operations } from '../../../src/operations/operations.js';
import { InvalidPlatformFile } from '../../../src/platform-file/format/file-error.js';
import { type IdKind } from '../../../src/platform-file/plan/new-things.js';
import { addHashes, withHash } from '../../../src/platform-file/apply/passwords.js';
import { type Platform } from '../../../src/platform/platform.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';
import { EVERY_FIELD } from '../examples.js';
import { passwords, platformFixture, type PlatformFixture } from '../platform-fixture.js';

const alice = (more = ''): string =>
  `users: [{ username: alice, real_name: Alice, email: alice@example.org, password: first${more} }]`;

const people = (...names: readonly string[]): string =>
  `users: [${names.map((name) => `{ username: ${name}, real_name: A, email: a@b, password: ${name} }`).join(', ')}]`;

const bugs = `projects: [{ shortname: hydra, label: Hydra, trackers: [{ item_name: bug, label: Bugs, fields: [] }] }]`;
const noBugs = 'projects: [{ shortname: hydra, label: Hydra, trackers: [] }]';

/** A log that stands still from the given append on, as after a crash. */
function crashingAt(log: EventLog, append: number): EventLog {
  let appends = 0;
  return {
    ...log,
    append: (...args) => {
      appends += 1;
      return appends < append ? log.append(...args) : Promise.reject(new Error('the power is gone'));
    },
  };
}

describe('applying a platform file', () => {
  let platform: PlatformFixture;

  beforeEach(async () => {
    platform = await platformFixture();
  });
  afterEach(() => platform.close());

  const hydraBug = () => {
    const { definitions } = platform.service;
    return definitions
      .trackersOf(definitions.projectNamed('hydra')?.id ?? 0)
      .find(({ view }) => view.itemName === 'bug');
  };

  it('brings about what it plans, and nothing when applied again', async () => {
    const planned = await platform.plan(DEMO_PLATFORM);
    expect(await platform.apply(DEMO_PLATFORM)).to.deep.equal(planned);
    const events = await platform.events();
    expect(await platform.plan(DEMO_PLATFORM)).to.deep.equal([]);
    expect(await platform.apply(DEMO_PLATFORM)).to.deep.equal([]);
    expect(await platform.events()).to.deep.equal(events);
  });

  for (const [command, present, reports] of [
    ['plan', false, 3],
    ['plan', true, 3],
    ['apply', false, 9],
    ['apply', true, 3],
  ] as const) {
    const users = present ? 'present' : 'new';
    it(`reports progress for each password of ${users} users that it verifies or hashes, and each step, by ${command}`, async () => {
      const user = (name: string) => `{ username: ${name}, real_name: X, email: ${name}@b, password: ${name} }`;
      const text = `users: [${['alice', 'bob', 'carol'].map(user).join(', ')}]`;
      if (present) await platform.apply(text);
      const lines: unknown[] = [];
      const commands = operations(platform.service, passwords);
      await commands[command]?.({ file: parsePlatformFile(text).file, prune: false, env: {} }, (line) =>
        lines.push(line),
      );
      expect(lines).to.deep.equal(Array.from({ length: reports }, (_, n) => ({ done: n + 1 })));
    });
  }

  it('appends nothing when anything in it is wrong', async () => {
    const wrong = `${alice()}\nprojects: [{ shortname: lab, label: Lab, admins: [nobody] }]`;
    expect(await rejection(platform.apply(wrong))).to.be.instanceOf(InvalidPlatformFile);
    expect(await platform.events()).to.deep.equal([]);
  });

  it('sets what holds for the whole platform', async () => {
    await platform.apply(EVERY_FIELD);
    const expected: Platform = {
      anonymousAccess: false,
      artifactDeletionLimit: 5,
      archiveDeletedArtifacts: true,
      linkTypes: [{ shortname: 'fixed_in', forwardLabel: 'Fixed in', reverseLabel: 'Fixes' }],
    };
    expect(platform.service.definitions.platform()).to.deep.include(expected);
  });

  it('stores defaults in the form of artifacts values', async () => {
    await platform.apply(EVERY_FIELD);
    const { definitions } = platform.service;
    const project = definitions.projectNamed('lab');
    const [tracker] = definitions.trackersOf(project?.id ?? 0);
    const fields = tracker?.fields ?? [];
    const valueIds = new Map(fields.flatMap(({ values = [] }) => values).map(({ id, label }) => [label, id]));
    const crew = project?.groups.map(({ id }) => id);
    expect(
      Object.fromEntries(fields.flatMap((field) => ('default' in field ? [[field.name, field.default]] : []))),
    ).to.deep.equal({
      title: 'Untitled',
      body: { text: 'Nothing yet', format: 'text' },
      status: [valueIds.get('Open')],
      owners: [definitions.userNamed('erin')?.id],
      teams: crew,
      tags: [{ bound: valueIds.get('blue') }],
      points: 3,
      weight: 1.5,
      day: { date: '2024-02-29' },
      moment: { date: '2024-02-29T10:11:00Z' },
      visible_to: crew,
      sum: { manual: 12 },
    });
  });

  it('changes a password only when it is another one', async () => {
    await platform.apply(alice());
    const env = { SECRET: 'second' };
    const fromEnv = alice().replace('password: first', 'password_env: SECRET');
    expect(await platform.apply(fromEnv, { env })).to.deep.equal(['change the password of user alice']);
    expect(platform.service.definitions.userNamed('alice')?.passwordHash).to.equal('hash of second');
    expect(await platform.apply(fromEnv, { env })).to.deep.equal([]);
    expect(await platform.apply(alice().replace(', password: first', ''))).to.deep.equal([]);
  });

  it('gives a user whose hash is none the password of the file', async () => {
    await platform.apply(alice(), { passwords: { ...passwords, hash: () => Promise.resolve('') } });
    const real = hashedPasswords();
    expect(await platform.apply(alice(), { passwords: real })).to.deep.equal(['change the password of user alice']);
    expect(await platform.apply(alice(), { passwords: real })).to.deep.equal([]);
  });

  it('takes the Unicode forms of a password for the same', async () => {
    const real = hashedPasswords();
    const given = (form: string) => alice().replace('first', 'Pâté'.normalize(form));
    await platform.apply(given('NFD'), { passwords: real });
    for (const form of ['NFC', 'NFD']) expect(await platform.apply(given(form), { passwords: real })).to.be.empty;
    const { passwordHash = null } = platform.service.definitions.userNamed('alice') ?? {};
    expect(await real.verify(passwordHash, 'Pâté')).to.equal(true);
  });

  it('takes no step of a user without a password to hash', async () => {
    const command = { type: 'ChangePassword', userId: 102, passwordHash: '' } as const;
    const unique = { kind: 'user', scope: 0, name: 'alice' } as const;
    for (const password of [undefined, '']) {
      const step = { of: 'user', words: '', widens: false, stage: 'narrowing', command, password, unique } as const;
      const hashes = new Map<string, string>();
      await addHashes(hashes, [step], { passwords });
      expect(() => withHash(step, hashes)).to.throw('no password for user alice');
    }
  });

  it('changes, suspends and reactivates users', async () => {
    await platform.apply(alice());
    expect(await platform.apply(alice(', status: suspended, site_admin: true'))).to.deep.equal([
      'suspend user alice',
      'make user alice a site administrator',
    ]);
    const renamed = alice(', status: active, site_admin: false').replace('Alice', 'Alice M.');
    expect(await platform.apply(renamed)).to.deep.equal([
      'rename user alice: Alice M. <alice@example.org>',
      'user alice is no site administrator',
      'reactivate user alice [widens access]',
    ]);
    const spelled = await rejection(platform.apply(alice().replace('alice,', 'Alice,')));
    expect(String(spelled)).to.include('is registered as alice and keeps that spelling');
  });

  it('gives a deleted tracker’s name to a new tracker', async () => {
    await platform.apply(bugs);
    const first = hydraBug()?.id;
    expect(await platform.apply(noBugs)).to.deep.equal([]);
    expect(await platform.apply(noBugs, { prune: true })).to.deep.equal(['delete tracker hydra/bug']);
    expect(await platform.apply(bugs)).to.deep.equal(['define tracker hydra/bug']);
    expect(hydraBug()?.id).to.be.greaterThan(first ?? 0);
  });

  it('is made good by applying again, wherever it was cut off', async () => {
    const text = `${alice()}\n${bugs}`;
    for (let append = 1; ; append += 1) {
      const crashed = await rejection(platform.apply(text, { log: crashingAt(platform.service.log, append) }));
      if (crashed === undefined) break;
      expect(crashed)
        .to.have.property('message')
        .which.matches(/^the power is gone/);
    }
    const written = await platform.events();
    for (const type of ['UserRegistered', 'ProjectRegistered', 'TrackerDefined', 'NameReserved']) {
      const times = written.filter((event) => event.endsWith(` ${type}`)).length;
      expect(times, type).to.equal(type === 'NameReserved' ? 3 : 1);
    }
    expect(await platform.apply(text)).to.deep.equal([]);
  });

  it('registers as suspended who and what the file suspends', async () => {
    const suspended = `${alice(', status: suspended')}\nprojects: [{ shortname: lab, label: Lab, status: suspended }]`;
    await platform.apply(suspended);
    expect(await platform.plan(suspended)).to.deep.equal([]);
  });

  it('leaves active no user and no project that is registered as suspended, wherever it was cut off', async () => {
    const suspended = `${alice(', status: suspended')}\nprojects: [{ shortname: lab, label: Lab, status: suspended }]`;
    for (let append = 1; append <= 5; append += 1) {
      await rejection(platform.apply(suspended, { log: crashingAt(platform.service.log, append) }));
      const { definitions } = platform.service;
      const states = [...definitions.users(), ...definitions.projects()].map(({ status }) => status);
      expect(states.filter((status) => status === 'active')).to.deep.equal([]);
    }
    expect(await platform.plan(suspended)).to.deep.equal([]);
    const written = (await platform.events()).map((event) => event.split(' ')[1]);
    expect(written.filter((type) => type?.endsWith('Registered'))).to.have.length(2);
    expect(written.filter((type) => type?.endsWith('Suspended'))).to.have.length(2);
  });

  it('names what was applied before an error', async () => {
    const failure = (append: number, log = crashingAt(platform.service.log, append)) =>
      rejection(platform.apply(`${alice()}\n${bugs}`, { log }));
    expect(await failure(1)).to.have.property('message', 'the power is gone');
    // A name and what bears it are two appends.
    const words = 'the power is gone. 1 change was applied before: apply the file again';
    expect(await failure(3)).to.have.property('message', words);
    const { log } = platform.service;
    const full = new Problem('full', 'The disk is full: nothing was stored', { retryAfter: 7 });
    let appends = 0;
    const append: EventLog['append'] = (...args) => {
      appends += 1;
      return appends < 3 ? log.append(...args) : Promise.reject(full);
    };
    const refused = await failure(0, { ...log, append });
    expect(refused).to.be.instanceOf(Problem).and.include({ kind: 'full', retryAfter: 7 });
    expect(refused)
      .to.have.property('message')
      .which.equals('The disk is full: nothing was stored. 1 change was applied before: apply the file again');
  });

  it('draws ids step by step, for what it creates', async () => {
    const kinds: string[] = [];
    const ids = (kind: IdKind): IdAllocator => ({
      next: () => {
        kinds.push(kind);
        return platform.service.idsOf(kind).next();
      },
    });
    // Ann has two appends, her name and herself. Of bob the name is the first.
    const log = crashingAt(platform.service.log, 3);
    await rejection(platform.apply(`${people('ann', 'bob', 'cy')}\n${bugs}`, { log, ids }));
    expect(kinds).to.deep.equal(['user', 'user']);
  });

  it('takes no step before all passwords are hashed', async () => {
    const busy = new Problem('unavailable', 'Too busy');
    const hash = (password: string): Promise<string> =>
      password === 'bob' ? Promise.reject(busy) : passwords.hash(password);
    const text = `settings: { anonymous_access: false }\n${people('ann', 'bob')}`;
    expect(await rejection(platform.apply(text, { passwords: { ...passwords, hash } }))).to.equal(busy);
    expect(await platform.events()).to.deep.equal([]);
  });

  it('takes a negative default for what it is', async () => {
    const fields = [
      { name: 'low', label: 'Low', type: 'int', default: -100_001 },
      { name: 'less', label: 'Less', type: 'float', default: -0.5 },
      { name: 'sum', label: 'Sum', type: 'computed', default: -1 },
    ];
    const projects = [{ shortname: 'hydra', label: 'Hydra', trackers: [{ item_name: 'bug', label: 'Bugs', fields }] }];
    const text = JSON.stringify({ projects });
    await platform.apply(text);
    expect(hydraBug()?.fields.map((field) => field.default)).to.deep.equal([-100_001, -0.5, { manual: -1 }]);
    expect(await platform.apply(text)).to.deep.equal([]);
  });

  it('frees the name of a tracker that was deleted just before a crash', async () => {
    await platform.apply(bugs);
    const log = crashingAt(platform.service.log, 2);
    expect(await rejection(platform.apply(noBugs, { prune: true, log }))).to.be.instanceOf(Error);
    expect(await platform.apply(bugs)).to.deep.equal(['define tracker hydra/bug']);
  });
});
