import { expect } from 'chai';
import { accessKeyVerifier } from '../../../src/authentication/access-keys/verify-access-key.js';
import { type AccessKey } from '../../../src/users/access-key.js';
import { hashOf, identifierOf, newSecret } from '../../../src/authentication/access-keys/identifier.js';
import { lastUse } from '../../../src/authentication/access-keys/last-use.js';
import { type EventLog } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { createLogger } from '../../../src/logging/logger.js';
import { definitionsOf, userOf } from '../../support/definitions.js';

const secret = newSecret();
const identifier = identifierOf({ accessKeyId: 7, secret });
const NOON = '2026-03-01T12:00:00.000Z';
const keyOf = (given: Partial<AccessKey> = {}): AccessKey => ({
  id: 7,
  secretHash: hashOf(secret),
  description: 'CI',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
  ...given,
});

describe('access keys', () => {
  const world = (key: AccessKey, user: Parameters<typeof userOf>[1] = {}) => {
    const state = { now: new Date(NOON), used: [] as number[] };
    const keys = accessKeyVerifier({
      definitions: definitionsOf({ users: [userOf(101), userOf(102, { accessKeys: [key], ...user })] }),
      clock: () => state.now,
      used: (_, { id }) => void state.used.push(id),
    });
    return { keys, state };
  };
  const problemIn = (work: () => unknown): string | undefined => {
    try {
      work();
      return undefined;
    } catch (error) {
      return error instanceof Problem ? error.kind : String(error);
    }
  };

  it('speak for the user who made them, and tell of it', () => {
    const { keys, state } = world(keyOf());
    expect(keys.userOf(identifier).id).to.equal(102);
    expect(state.used).to.deep.equal([7]);
    expect(problemIn(() => keys.userOf(identifierOf({ accessKeyId: 7, secret: newSecret() })))).to.equal(
      'bad-credentials',
    );
    expect(state.used).to.deep.equal([7]);
  });

  it('end at the instant of their expiration', () => {
    const { keys, state } = world(keyOf({ expiresAt: '2026-03-01T12:00:01.000Z' }));
    expect(keys.userOf(identifier).id).to.equal(102);
    state.now = new Date('2026-03-01T12:00:01.000Z');
    expect(problemIn(() => keys.userOf(identifier))).to.equal('bad-credentials');
  });

  it('are not used by who is suspended', () => {
    const { keys, state } = world(keyOf(), { status: 'suspended' });
    expect(keys.userOf(identifier).status).to.equal('suspended');
    expect(state.used).to.deep.equal([]);
  });
});

describe('the last use of an access key', () => {
  it('delays and fails no request when the log cannot take it; a minute later it is tried again', async () => {
    let now = new Date(NOON);
    let tries = 0;
    let written = '';
    const down: Pick<EventLog, 'read'> = {
      read: () => {
        tries += 1;
        return Promise.reject(new Error('the disk is full'));
      },
    };
    const used = lastUse({
      log: down as EventLog,
      clock: () => now,
      logger: createLogger('warn', { write: (line) => void (written += line) }),
    });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    used(userOf(102), keyOf());
    used(userOf(102), keyOf());
    expect(tries, 'before the log is asked').to.be.at.most(1);
    await settled();
    expect(tries).to.equal(1);
    expect(written).to.include('last use of access key not recorded').and.not.include(keyOf().secretHash);
    now = new Date('2026-03-01T12:01:00.000Z');
    used(userOf(102), keyOf());
    used(userOf(102), keyOf({ id: 8, lastUsedAt: NOON }));
    await settled();
    expect(tries).to.equal(2);
  });
});
