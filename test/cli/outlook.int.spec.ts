import { expect } from 'chai';
import { initialStatus, transition } from '../../projections/engine/projection-status.js';
import { exitStatusOf, inWords, movement } from '../../src/cli/outlook.js';
import { NO_MARKS } from '../../src/core/marks.js';
import { at } from '../stores/contracts/read-models-fixture.js';

const servedUpTo = (position: number) =>
  transition(initialStatus({ name: 'users', version: 3 }), {
    type: 'served',
    progress: { generation: 1, position: at(position), event: null, marks: NO_MARKS },
  });

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

  it('is none of a rebuild where others append events', () => {
    const [before, after] = [[servedUpTo(7)], [servedUpTo(8)]];
    expect(movement('rebuild', before, 0).signs).to.deep.equal(movement('rebuild', after, 0).signs);
    expect(movement('plan', before, 0).signs).not.to.deep.equal(movement('plan', after, 0).signs);
  });
});

describe('what a command says of projections', () => {
  it('is how far they are filled, and why they are not live', () => {
    const empty = initialStatus({ name: 'users', version: 3 });
    const live = servedUpTo(7);
    const progress = { projection: 'users', events: 9, eventsPerSecond: 3, share: 0.256, secondsLeft: 4 };
    const rebuilt = { ...progress, position: at(9), end: at(40) };
    const troubled = transition(live, { type: 'troubled', reason: 'late' });
    const all = [
      live,
      empty,
      transition(empty, { type: 'filling', progress: rebuilt }),
      transition(live, { type: 'filling', progress: rebuilt }),
      troubled,
      transition(troubled, { type: 'stopped', poison: null, reason: 'a defect' }),
    ];
    expect(all.map((one) => inWords([one]))).to.deep.equal([
      '',
      'users: nothing is served yet',
      'users is being filled, 25 %; users: nothing is served yet',
      'users is being filled, 25 %',
      'users: late',
      'users: a defect',
    ]);
    expect(inWords([empty, troubled])).to.equal('users: nothing is served yet; users: late');
  });
});

describe('the exit status of a command that shows projections', () => {
  it('is 2 if one of them has stopped, or no process runs it', () => {
    const live = servedUpTo(7);
    const unattended = transition(live, { type: 'unattended', reason: 'no worker' });
    const stopped = transition(live, { type: 'stopped', poison: null, reason: 'a defect' });
    const statuses = [[live], [live, unattended], [stopped, live]].map(exitStatusOf);
    expect(statuses).to.deep.equal([0, 2, 2]);
  });
});
