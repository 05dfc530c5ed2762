import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { ALL_USERS, PROJECT_MEMBERS, REGISTERED_USERS, type GroupId } from '../../src/projects/project-events.js';
import { writerValues } from '../../src/trackers/list-representation.js';
import { type UserView } from '../../src/users/user-view.js';
import { definitionsOf, fieldOf, projectOf, trackerOf, userOf } from '../support/definitions.js';

const member = (n: number): UserView => userOf(1000 + n, { username: `user${String(n).padStart(4, '0')}` });
const USERS = Array.from({ length: 5000 }, (_, n) => member(n));
const ADMIN = USERS[4999]!;
const OUTSIDER = userOf(9000, { username: 'outsider' });

/** The values that a reader is told, and how many users were looked at for them. */
function told(reader: UserView | null, from: readonly GroupId[] | null) {
  const project = projectOf({ admins: [ADMIN.id], members: USERS.map(({ id }) => id) });
  const list = from === null ? [] : [fieldOf(500, 'sb', { name: 'owner', bind: 'users', from })];
  const tracker = trackerOf([...list, fieldOf(501, 'subby', { name: 'author' })]);
  const definitions = definitionsOf({ users: [...USERS, OUTSIDER], projects: [project], trackers: [tracker] });
  let looks = 0;
  const watched = {
    ...definitions,
    user: (id: number) => {
      looks += 1;
      return definitions.user(id);
    },
    users: () =>
      new Proxy(definitions.users(), {
        get: (users, name, receiver) => {
          looks += Number(typeof name === 'string' && /^\d+$/.test(name));
          return Reflect.get(users, name, receiver) as unknown;
        },
      }),
  };
  // The viewer looks at the reader alone.
  const context = { definitions: watched, project, viewer: viewer(definitions, reader) };
  const usernames = writerValues(tracker, context).map(({ label }) => label);
  return { usernames, looks };
}

describe('the values of a field that holds a writer', () => {
  it('are bounded, however many members the project has, and so is the work for them', () => {
    for (const from of [[PROJECT_MEMBERS], [ALL_USERS, PROJECT_MEMBERS], null]) {
      const { usernames, looks } = told(ADMIN, from);
      expect(usernames).to.have.length(100);
      expect(new Set(usernames).size).to.equal(100);
      expect(usernames[0]).to.equal(ADMIN.username);
      expect(looks).to.be.at.most(102);
    }
  });

  it('are the reader alone where neither the tracker nor the project lists users to the reader', () => {
    expect(told(OUTSIDER, null).usernames).to.deep.equal(['outsider']);
    expect(told(USERS[7]!, null).usernames).to.deep.equal(['user0007']);
    expect(told(null, null).usernames).to.deep.equal([]);
  });

  it('leave out the users of lists of all accounts', () => {
    for (const from of [[REGISTERED_USERS], [ALL_USERS]]) {
      expect(told(null, from).usernames).to.deep.equal([]);
      expect(told(OUTSIDER, from).usernames).to.deep.equal(['outsider']);
      expect(told(null, [...from, PROJECT_MEMBERS]).usernames).to.deep.equal(told(null, [PROJECT_MEMBERS]).usernames);
    }
  });

  it('are those whom lists of the tracker show, to everybody', () => {
    expect(told(null, [PROJECT_MEMBERS]).usernames)
      .to.have.length(100)
      .and.include('user0007');
    expect(told(OUTSIDER, [PROJECT_MEMBERS]).usernames).to.include.members(['outsider', 'user0007']);
  });
});
