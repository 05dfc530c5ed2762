import { expect } from 'chai';
import { changeUser } from '../../src/users/commands.js';
import { unshownChanges } from '../../src/users/unshown-changes.js';
import { userStream } from '../../src/users/user-events.js';
import { USERS } from '../../src/users/user-view.js';
import { runService, type RunningService } from '../support/service.js';

describe('a change of a user', () => {
  let api: RunningService;
  before(async () => {
    api = await runService();
  });
  after(() => api.stop());

  it('waits for the last change of the user to be shown, also if there is nothing left to do', async () => {
    const { log, clock, definitions } = api.service;
    const bob = definitions.userNamed('bob')!;
    const { events } = await log.read(userStream(bob.id));
    const awaited: unknown[] = [];
    const caughtUp = (...asked: readonly unknown[]): Promise<boolean> => {
      awaited.push(asked);
      return Promise.resolve(true);
    };
    const ports = { log, clock, readModels: { caughtUp }, unshown: unshownChanges() };
    const command = { type: 'RevokeAccessKey', userId: bob.id, accessKeyId: 999_999 } as const;
    await changeUser(bob, command, ports, { actor: bob.id, at: clock().toISOString() });
    expect(awaited).to.deep.equal([[USERS, events.at(-1)?.position]]);
    expect((await log.read(userStream(bob.id))).events).to.deep.equal(events);
  });
});
