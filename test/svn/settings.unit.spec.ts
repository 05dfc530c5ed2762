import { expect } from 'chai';
import { Problem } from '../../src/core/problem.js';
import { viewer } from '../../src/authorization/viewer.js';
import { type NotificationBody, type SettingsBody } from '../../src/svn/schemas.js';
import { checkedSettings } from '../../src/svn/settings.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { definitionsOf, groupOf, projectOf, userOf } from '../support/definitions.js';

const project = projectOf({ id: 110, svn: true, groups: [groupOf(105, { shortName: 'Developers' })] });
const other = projectOf({ id: 111, groups: [groupOf(106)] });
const hidden = projectOf({ id: 112, access: 'private', groups: [groupOf(107)] });
const definitions = definitionsOf({
  users: [userOf(115), userOf(116, { status: 'suspended' })],
  projects: [project, other, hidden],
});

const settingsOf = (given: Partial<SettingsBody>) =>
  checkedSettings(given, { project, definitions, viewer: viewer(definitions, null) });

/** Kind, and what is wrong where. */
async function problemOf(given: Partial<SettingsBody>) {
  try {
    await settingsOf(given);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { kind, details = [] } = error;
    return { kind, pointers: details.map(({ pointer }) => pointer.replace('/settings/', '')), details };
  }
  return { kind: 'none', pointers: [], details: [] };
}

const mail = (given: Partial<NotificationBody>): NotificationBody => ({
  path: '/tags',
  emails: [],
  users: [],
  user_groups: [],
  ...given,
});
const told = (...given: Partial<NotificationBody>[]) => problemOf({ email_notifications: given.map(mail) });
const AT = 'email_notifications/0';

describe('the settings of a repository', () => {
  it('keep a user who has been suspended where they name this user already', async () => {
    const named = { path: '/a', emails: [], users: [116], groups: [] };
    const before = await settingsOf({ email_notifications: [mail({ path: '/b', users: [115] })] });
    const stored = { ...before, emailNotifications: [named] };
    const context = { project, definitions, viewer: viewer(definitions, null), stored };
    const { emailNotifications } = await checkedSettings(
      { email_notifications: [mail({ path: '/a', users: [116] })] },
      context,
    );
    expect(emailNotifications).to.deep.equal([named]);
    const elsewhere = checkedSettings({ email_notifications: [mail({ path: '/b', users: [116] })] }, context);
    expect(await rejection(elsewhere))
      .to.be.instanceOf(Problem)
      .and.to.include({ kind: 'invalid' });
  });

  it('are kept in one form: known ids as numbers, once each, by path', async () => {
    const { emailNotifications } = await settingsOf({
      email_notifications: [
        mail({ path: '/b', users: ['115', 115], user_groups: ['110_3', 105, '105', '110_105', '110_4'] }),
        mail({ path: '/a', emails: ['a@example.org'] }),
      ],
    });
    expect(emailNotifications).to.deep.equal([
      { path: '/a', emails: ['a@example.org'], users: [], groups: [] },
      { path: '/b', emails: [], users: [115], groups: [3, 105, 4] },
    ]);
  });

  it('leave out what they do not know', async () => {
    const given = { commit_rules: { is_reference_mandatory: true, is_commit_message_change_allowed: false, more: 1 } };
    expect((await settingsOf(given)).commitRules).to.deep.equal({
      isReferenceMandatory: true,
      isCommitMessageChangeAllowed: false,
    });
  });

  it('name each path of notifications once, and at least one recipient', async () => {
    expect((await told({ users: [115] }, { users: [115] })).pointers).to.deep.equal(['email_notifications/1/path']);
    expect((await told({})).pointers).to.deep.equal([AT]);
    expect((await told({ path: 'tags', users: [115] })).pointers).to.deep.equal([`${AT}/path`]);
    expect((await told({ path: '/a\u0000', users: [115] })).pointers).to.deep.equal([`${AT}/path`]);
  });

  it('name each address once for a path, and only addresses', async () => {
    expect((await told({ emails: ['a@x.org', 'A@X.org'] })).pointers).to.deep.equal([`${AT}/emails/1`]);
    expect((await told({ emails: ['a@x.org'] }, { path: '/b', emails: ['a@x.org'] })).kind).to.equal('none');
    const label = 'x'.repeat(63);
    const host = (last: number): string => `${label}.${label}.${label}.${'x'.repeat(last)}`;
    const good = [
      `a@${label}`,
      `ab@${host(59)}`,
      'root@localhost',
      "o'brien+svn@mail.example.org",
      'jürgen@bücher.example',
    ];
    expect((await told({ emails: good })).kind).to.equal('none');
    const bad = [
      '',
      'a',
      '@x',
      'a@',
      'a@@x.org',
      'a b@x.org',
      'a@x..org',
      'a@-x.org',
      'a@x.org\n',
      `${'a'.repeat(65)}@x`,
      `a@x${label}`,
      `ab@${host(60)}`,
    ];
    expect((await told({ emails: bad })).pointers).to.deep.equal(bad.map((_, index) => `${AT}/emails/${index}`));
  });

  it('repeat no long path and no long address in what is wrong with them', async () => {
    const long = 'x'.repeat(10_000);
    const { details } = await told({ path: `/${long}`, emails: [long, long] }, { path: `/${long}` });
    expect(details.map(({ pointer }) => pointer.replace('/settings/email_notifications/', ''))).to.deep.equal([
      '0/path',
      '0/emails/0',
      '0/emails/1',
      '1/path',
      '1/path',
      '1',
    ]);
    expect(details.every(({ message }) => message.length < 250)).to.equal(true);
  });

  it('name users who exist and are active', async () => {
    expect(await told({ users: [115, 116, 999] })).to.deep.include({
      kind: 'invalid',
      pointers: [`${AT}/users/1`, `${AT}/users/2`],
    });
  });

  it('name groups of the project that get mail', async () => {
    for (const id of ['110_1', '110_2', '1', '2', '3', 4, '111_3', '111_4', 106, '106', '111_106']) {
      expect(await told({ user_groups: [id] }), String(id)).to.deep.include({
        kind: 'invalid',
        pointers: [`${AT}/user_groups/0`],
      });
    }
  });

  it('name groups that exist', async () => {
    for (const id of [999, '999_3', '110_5', '110_106', '111_105', '999_105', '112_105', 50]) {
      expect(await told({ user_groups: [id] }), String(id)).to.deep.include({
        kind: 'invalid',
        pointers: [`${AT}/user_groups/0`],
      });
    }
  });

  it('tell a group that does not exist from others, but not from one of a project that the writer does not know', async () => {
    const messages = async (...groups: readonly (number | string)[]) =>
      new Set((await told({ user_groups: [...groups] })).details.map(({ message }) => message.replace(/:.*/, '')));
    const unknown = new Set(['names a user group that does not exist']);
    expect(await messages(999, '999_3', 50, '110_5', '111_105', 107, '112_3', '112_107', '110_107')).to.deep.equal(
      unknown,
    );
    expect(await messages(106, '111_106', '111_3')).to.deep.equal(new Set(['names a user group of another project']));
    expect(await messages(2, 3, '110_2')).to.deep.equal(new Set(['names a group that gets no mail']));
  });

  it('hold less than 64 KiB of immutable paths, and as much of exceptions', async () => {
    const paths = (bytes: number): string[] => {
      const path = `/${'a'.repeat(1023)}`;
      const many = Array<string>(Math.floor(bytes / 1025)).fill(path);
      return [...many, `/${'b'.repeat(bytes - many.length * 1025 - 1)}`];
    };
    expect(Buffer.byteLength(paths(65_535).join('\n'))).to.equal(65_535);
    expect((await problemOf({ immutable_tags: { paths: paths(65_535), whitelist: paths(65_535) } })).kind).to.equal(
      'none',
    );
    expect((await problemOf({ immutable_tags: { paths: paths(65_536), whitelist: [] } })).pointers).to.deep.equal([
      'immutable_tags/paths',
    ]);
    expect((await problemOf({ immutable_tags: { paths: [], whitelist: paths(65_536) } })).pointers).to.deep.equal([
      'immutable_tags/whitelist',
    ]);
  });

  it('hold paths from the root', async () => {
    const paths = [
      '/tags',
      '/',
      '/*/tags/',
      '/a b',
      'tags',
      '',
      '/a\nb',
      '/a/../b',
      '/./a',
      `/${'x'.repeat(4096)}`,
      `/${'é'.repeat(2048)}`,
      `/x${'é'.repeat(2047)}`,
      '/a/.',
      '/..',
      '/.../.a/b.',
    ];
    expect((await problemOf({ immutable_tags: { paths, whitelist: [] } })).pointers).to.deep.equal(
      [4, 5, 6, 7, 8, 9, 10, 12, 13].map((index) => `immutable_tags/paths/${index}`),
    );
  });

  it('hold an access file of 256 KiB at most, of which the lines that are wrong are named', async () => {
    expect((await problemOf({ access_file: `#${'é'.repeat(131_071)}` })).kind).to.equal('none');
    expect((await problemOf({ access_file: `#${'é'.repeat(131_072)}` })).pointers).to.deep.equal(['access_file']);
    const { details } = await problemOf({ access_file: '[/]\n@members = rw\n@developers = r\n@strangers = r\nx' });
    expect(details.map(({ message }) => /^line \d+/.exec(message)?.[0])).to.deep.equal(['line 4', 'line 5']);
  });

  it('name a bounded number of faults', async () => {
    expect((await problemOf({ access_file: 'x\n'.repeat(1000) })).details).to.have.length(100);
    expect((await told({ emails: Array<string>(1000).fill('nobody') })).details).to.have.length(100);
  });
});
