import { expect } from 'chai';
import { fold, type Decider } from '../../src/core/decider.js';
import { type Event } from '../../src/core/event-log.js';
import { Problem, type ProblemKind } from '../../src/core/problem.js';

/** given(...past events).when(command).then(...new events) */
export function specify<State, Command, E extends Event>(decider: Decider<State, Command, E>) {
  const given = (...past: readonly E[]) => ({
    /** What the past comes to. */
    state: fold(decider, past),
    when: (command: Command) => {
      const decide = () => decider.decide(command, fold(decider, past));
      return {
        then: (...expected: readonly E[]) => {
          expect(decide()).to.deep.equal(expected);
          expect(decider.decide(command, fold(decider, [...past, ...expected])), 'the same again').to.deep.equal([]);
        },
        thenAgain: (...expected: readonly E[]) => {
          expect(decide()).to.deep.equal(expected);
        },
        thenNothing: () => {
          expect(decide()).to.deep.equal([]);
        },
        thenProblem: (kind: ProblemKind) => {
          expect(decide).to.throw(Problem).with.property('kind', kind);
        },
      };
    },
  });
  return { given };
}
