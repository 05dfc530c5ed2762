import { expect } from 'chai';
import { movement } from '../../src/cli/outlook.js';

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
