import { expect } from 'chai';
import fc from 'fast-check';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { type PlatformFile } from '../../../src/platform-file/format/platform-schema.js';
import { inWords } from '../../../src/platform-file/plan/plan-step.js';
import { platformFile } from '../platform-arbitraries.js';
import { applied, EMPTY_PLATFORM, type Applied, type PlannedPlatform } from './planned-platform.js';
import { rightsIn } from './rights.js';

const PEOPLE = ['ada', 'ben', 'eve'];
const users = (more: Readonly<Record<string, string>> = {}): string =>
  `users: [${PEOPLE.map(
    (name) => `{ username: ${name}, real_name: A, email: a@b, password: x, ${more[name] ?? ''} }`,
  ).join(', ')}]\n`;
const lab = (members: string, tracker = 'fields: []'): string =>
  `projects: [{ shortname: lab, label: Lab, ${members}, trackers: [{ item_name: bug, label: Bugs, ${tracker} }] }]\n`;
const salary = (read: string): string =>
  `fields: [{ name: salary, label: S, type: string, permissions: { read: [${read}] } }]`;
const crew = (members: string): string => `user_groups: [{ short_name: crew, label: Crew, members: [${members}] }]`;

function between(before: string, after: string): Applied & { readonly before: PlannedPlatform } {
  const fileOf = (text: string) => parsePlatformFile(text).file;
  const { after: present } = applied(EMPTY_PLATFORM, fileOf(before));
  return { before: present, ...applied(present, fileOf(after)) };
}

/** Fields of workflows: these and the rights to their fields change one after the other. */
const governed = ({ trackers }: PlannedPlatform): readonly number[] =>
  [...trackers.values()].flatMap(({ workflow }) => workflow?.field ?? []);

/** Rights that neither of the two platforms gives. No artifact of before is for a group that is new. */
function gainedBy(state: PlannedPlatform, before: PlannedPlatform, after: PlannedPlatform): readonly string[] {
  const given = new Set([...rightsIn(before), ...rightsIn(after)]);
  const flows = new Set([...governed(before), ...governed(after)]);
  return [...rightsIn(state)].filter((right) => {
    const [, , name, id] = right.split(' ');
    const isForNewGroup = name === 'artifacts-of' && Number(id) > before.lastId;
    return !given.has(right) && !isForNewGroup && !(name === 'update' && flows.has(Number(id)));
  });
}

/** Users and groups that are named and not there. */
function missingIn({ users: known, projects, trackers }: PlannedPlatform): readonly number[] {
  const people = [...projects.values()].flatMap(({ admins, members, groups }) => [
    ...admins,
    ...members,
    ...groups.flatMap((group) => group.members),
  ]);
  const ofTrackers = [...trackers.values()].flatMap(({ admins, fields }) => [
    ...admins.users,
    ...fields.flatMap(({ bind, default: value }) => (bind === 'users' && Array.isArray(value) ? value : [])),
  ]);
  const groups = new Set([
    1,
    2,
    3,
    4,
    ...[...projects.values()].flatMap((project) => project.groups.map(({ id }) => id)),
  ]);
  const named = [...trackers.values()].flatMap(({ admins, permissions, fields }) => [
    ...admins.groups,
    ...Object.values(permissions).flat(),
    ...fields.flatMap((field) => field.permissions.read),
  ]);
  const ids = [...people, ...ofTrackers].filter((id): id is number => typeof id === 'number' && !known.has(id));
  return [...ids, ...named.filter((id) => !groups.has(id))];
}

const SWAPS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'a project that opens while its trackers close': [
    users() + lab('access: private, members: [ben]', 'fields: [], permissions: { access: [all_users] }'),
    users() + lab('access: public, members: [ben]', 'fields: [], permissions: { access: [project_members] }'),
  ],
  'a user who joins a group that loses a field': [
    users() + lab(crew('ben'), salary('crew')),
    users() + lab(crew('ben, eve'), salary('project_admins')),
  ],
  'anonymous readers who are let in while projects become private': [
    `settings: { anonymous_access: false }\n${users()}${lab('access: public')}`,
    `settings: { anonymous_access: true }\n${users()}${lab('access: private')}`,
  ],
  'a user who is reactivated and leaves a project': [
    users({ eve: 'status: suspended' }) + lab('access: private, members: [eve]'),
    users({ eve: 'status: active' }) + lab('access: private, members: []'),
  ],
  'a site administrator who is suspended': [
    users() + lab('access: private'),
    users({ eve: 'status: suspended, site_admin: true' }) + lab('access: private'),
  ],
  'members who change places with a group in one list': [
    users() + lab(`${crew('ben')}, members: [eve]`, 'fields: [], permissions: { access: [crew] }'),
    users() + lab(`${crew('eve')}, members: [ben]`, 'fields: [], permissions: { access: [project_members] }'),
  ],
  'a new user of a platform that closes': [
    users() + lab('access: public'),
    `users: [{ username: new, real_name: N, email: n@b, password: x }]\n${lab('access: private')}`,
  ],
};

describe('the steps of a plan', () => {
  for (const [subject, [before, after]] of Object.entries(SWAPS)) {
    it(`let in nobody whom neither the platform nor the file lets in: ${subject}`, () => {
      const plan = between(before, after);
      expect(plan.complaints).to.deep.equal([]);
      expect(plan.states).to.have.length.greaterThan(1);
      for (const state of plan.states) expect(gainedBy(state, plan.before, plan.after)).to.deep.equal([]);
    });
  }

  it('change a list in two, where it takes in one and lets go another, and otherwise in one', () => {
    const words = (before: string, after: string) => between(before, after).steps.map(inWords);
    const change = 'change administrators, members or groups of project lab';
    const swapped = words(users() + lab('members: [ben]'), users() + lab('members: [eve]'));
    expect(swapped).to.deep.equal([change, `${change} [widens access]`]);
    expect(words(users() + lab('members: [ben, ada]'), users() + lab('members: [ben]'))).to.deep.equal([change]);
    for (const members of ['members: [eve, ben]', 'admins: [ben]', 'members: [ben], admins: [ada]']) {
      const widened = words(users() + lab('members: [ben]'), users() + lab(members));
      expect(widened, members).to.deep.equal([`${change} [widens access]`]);
    }
    const rights = 'change who may do what in tracker lab/bug';
    const access = (groups: string) => users() + lab(crew('ben'), `fields: [], permissions: { access: [${groups}] }`);
    expect(words(access('all_users'), access('crew'))).to.deep.equal([rights]);
    expect(words(access('crew'), access('registered_users'))).to.deep.equal([`${rights} [widens access]`]);
    expect(words(access('crew'), access('project_members'))).to.deep.equal([rights, `${rights} [widens access]`]);
  });

  it('rename what fewer may read once fewer read it', () => {
    const { steps } = between(
      users() + lab('access: public', 'fields: [], permissions: { access: [all_users] }'),
      (users() + lab('access: private', 'fields: [], permissions: { access: [project_members] }')).replaceAll(
        /label: (Lab|Bugs)/g,
        'label: Secret',
      ),
    );
    expect(steps.map(inWords)).to.deep.equal([
      'make project lab private',
      'change who may do what in tracker lab/bug',
      'rename project lab: Secret',
      'rename tracker lab/bug: Secret',
    ]);
  });

  it('register users after all that narrows, and name no user before', () => {
    const owner = (rest: string): string =>
      `fields: [{ name: owner, label: Owner, type: sb, bind: users, from: [registered_users]${rest} }]`;
    const { steps, states } = between(
      users() + lab(`access: public, ${crew('ben')}`, owner('')),
      `users: [{ username: new, real_name: N, email: n@b, password: x }]
${lab('access: private, members: [new], user_groups: [{ short_name: club, label: Club, members: [ben, new] }]', owner(', default: new'))}`,
    );
    expect(states.flatMap(missingIn)).to.deep.equal([]);
    const members = 'change administrators, members or groups of project lab';
    expect(steps.map(inWords)).to.deep.equal([
      'make project lab private',
      members,
      'register user new [widens access]',
      `${members} [widens access]`,
      'change the fields of tracker lab/bug (changed owner)',
    ]);
  });

  it('require no new field whose default is a user whom the file brings in before that user is there', () => {
    const owner = `fields: [{ name: owner, label: O, type: sb, bind: users, from: [registered_users], required: true, default: new }]`;
    const { states, after } = between(
      users() + lab('access: public'),
      `users: [{ username: new, real_name: N, email: n@b, password: x }]\n${lab('access: public', owner)}`,
    );
    const owners = [...states, after].flatMap(({ trackers }) => [...trackers.values()].flatMap(({ fields }) => fields));
    const seen = owners.map(({ required, default: value }) => ({ required, isSet: value !== undefined }));
    expect(seen[0]).to.deep.equal({ required: false, isSet: false });
    expect(seen.at(-1)).to.deep.equal({ required: true, isSet: true });
    for (const { required, isSet } of seen) expect(required).to.equal(isSet);
  });

  it('suspend a project before anything in it changes', () => {
    const { steps } = between(
      users() + lab('access: public, members: [ben]'),
      users() + lab('access: private, status: suspended, members: []'),
    );
    expect(steps.map(inWords)[0]).to.equal('suspend project lab');
    expect(steps).to.have.length(3);
  });

  it('let in nobody whom neither the platform nor the file lets in, also when cut off and applied again, and name nothing that is missing', () => {
    const renamed = (names: Readonly<Record<string, string>>) => (file: PlatformFile) =>
      JSON.parse(JSON.stringify(file), (_, value: unknown) =>
        typeof value === 'string' ? (names[value] ?? value) : value,
      ) as PlatformFile;
    const given = fc.record({
      first: platformFile('whole'),
      file: fc.oneof(
        platformFile('partial'),
        platformFile('whole'),
        platformFile('whole').map(renamed({ cy: 'dee' })),
        platformFile('whole').map(renamed({ crew: 'band', task: 'duty', ada: 'eda' })),
      ),
      prune: fc.boolean(),
      end: fc.nat(),
    });
    fc.assert(
      fc.property(given, ({ first, file, prune, end }) => {
        const { after: before } = applied(EMPTY_PLATFORM, first);
        const lawful = ({ states, steps, after }: Applied): void => {
          states.forEach((state, index) => {
            expect(missingIn(state), steps[index]?.words).to.deep.equal([]);
            expect(gainedBy(state, before, after), steps[index]?.words).to.deep.equal([]);
          });
        };
        const plan = applied(before, file, { prune, force: true });
        lawful(plan);
        const cutOff = plan.states[end % plan.states.length];
        if (cutOff === undefined) return;
        const again = applied(cutOff, file, { prune, force: true });
        expect(again.complaints).to.deep.equal([]);
        lawful(again);
      }),
      { numRuns: 60 },
    );
  });
});
