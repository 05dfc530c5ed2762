import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { repositoryTexts } from '../../src/svn/representation.js';
import { type NotificationBody } from '../../src/svn/schemas.js';
import { checkedSettings } from '../../src/svn/settings.js';
import { definitionsOf, projectOf, userOf } from '../support/definitions.js';
import { turns } from '../support/turns.js';

const EACH = 1000;
/** As many as the values of a body allow. */
const PATHS = 18;

const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const admin = userOf(115);
const users = numbered(EACH, (n) => userOf(1000 + n));
const project = projectOf({ svn: true, admins: [admin.id] });
const known = definitionsOf({ users: [admin, ...users], projects: [project] });

const ids = users.map(({ id }) => id);
const emails = numbered(EACH, (n) => `mail${n}@example.org`);
const groups = numbered(EACH, () => `${project.id}_3`);

const nobody = { emails: [], users: [], user_groups: [] };
const RECIPIENTS: readonly (readonly [who: string, recipients: Partial<NotificationBody>])[] = [
  ['addresses', { emails }],
  ['users', { users: ids }],
  ['groups', { user_groups: groups }],
];

describe('very many recipients of notifications', () => {
  for (const [who, recipients] of RECIPIENTS) {
    it(`are judged while others have their turn: ${who}`, async () => {
      const bodies = numbered(PATHS, (n) => ({ ...nobody, path: `/a${n}`, ...recipients }));
      const loop = turns();
      const context = { project, definitions: known, viewer: viewer(known, admin) };
      const { emailNotifications } = await checkedSettings({ email_notifications: bodies }, context);
      loop.stop();
      expect(loop.count()).to.be.at.least(8);
      expect(emailNotifications).to.have.length(PATHS);
    });
  }

  it('are shown while others have their turn', async () => {
    const loop = turns();
    const shownIn: number[] = [];
    const definitions: typeof known = {
      ...known,
      user: (id) => {
        shownIn[loop.count()] = (shownIn[loop.count()] ?? 0) + 1;
        return known.user(id);
      },
    };
    const emailNotifications = numbered(PATHS, (n) => ({ path: `/a${n}`, emails: [], users: ids, groups: [] }));
    const settings = {
      commitRules: { isReferenceMandatory: false, isCommitMessageChangeAllowed: false },
      immutableTags: { paths: [], whitelist: [] },
      accessFile: '',
      emailNotifications,
      hasDefaultPermissions: true,
    };
    const reading = { definitions, isAdmin: true, origin: 'http://localhost' };
    const texts: string[] = [];
    for await (const parts of repositoryTexts({ id: 1, name: 'svn', settings }, project, reading)) texts.push(...parts);
    loop.stop();
    expect(Math.max(...shownIn.filter(Boolean))).to.equal(EACH);
    expect(JSON.stringify(JSON.parse(texts.join(''))).match(/"username"/g)).to.have.length(PATHS * EACH);
  });
});
