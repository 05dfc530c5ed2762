import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { initialStatus } from '../../projections/engine/projection-status.js';
import { longestAbsence, movement } from '../../src/cli/outlook.js';

describe('the movement of a command', () => {
  for (const command of ['plan', 'apply', 'rebuild']) {
    it(`changes with each progress report of ${command}`, () => {
      expect(movement(command, [], 1).signs).not.to.deep.equal(movement(command, [], 2).signs);
      expect(movement(command, [], 2).signs).to.deep.equal(movement(command, [], 2).signs);
    });
  }

  it('is shown by a rebuild that reports, and by no other command', () => {
    const shown = ['rebuild', 'plan', 'apply'].map((command) => movement(command, [], 1).isShown);
    expect(shown).to.deep.equal([true, false, false]);
    expect(movement('rebuild', [], 0).isShown).to.equal(false);
  });
});

describe('the longest absence of workers', () => {
  const NAMES = ['artifacts', 'files', 'users'];
  const without = (...absent: readonly string[]) =>
    NAMES.map((name) => ({
      ...initialStatus({ name, version: 1 }),
      ...(absent.includes(name) && { isUnattended: true as const }),
    }));

  it('is that of one projection, and ends with it', async () => {
    const since = new Map<string, number>();
    expect(longestAbsence(since, without())).to.equal(0);
    expect(longestAbsence(since, without('files'))).to.equal(0);
    await sleep(60);
    expect(longestAbsence(since, without('files', 'users'))).to.be.above(50);
    expect(longestAbsence(since, without('users'))).to.be.below(50);
    expect(longestAbsence(since, without())).to.equal(0);
  });
});
