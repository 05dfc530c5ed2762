import { expect } from 'chai';
import { ownKeys } from '../../../src/authentication/access-keys/queries.js';
import { userOf } from '../../support/definitions.js';

const keyOf = (id: number) => ({
  id,
  secretHash: '',
  description: '',
  createdAt: '2026-03-01T12:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
});

describe('the access keys of a user', () => {
  it('are in the order of their ids, by which the list is continued, although a later id came first', () => {
    const user = userOf(102, { accessKeys: [7, 9, 8].map(keyOf) });
    expect(ownKeys(user, 'self').map(({ id }) => id)).to.deep.equal([7, 8, 9]);
  });
});
