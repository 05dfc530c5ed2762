import { expect } from 'chai';
import fc from 'fast-check';
import { fold } from '../../../src/core/decider.js';
import { Problem } from '../../../src/core/problem.js';
import {
  countOf,
  deletionDecider,
  deletionsLeft,
  type DeletionCommand,
} from '../../../src/artifacts/deletions/deletion-count.js';
import { type DeletionEvent } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { specify } from '../../support/specify.js';

const { given } = specify(deletionDecider);

const userId = 101;
const HOUR_MS = 60 * 60 * 1000;
const instant = (hours: number): string => new Date(Date.UTC(2026, 2, 1) + hours * HOUR_MS).toISOString();
const counted = (artifactId: number, hours: number, deletionId = `d${artifactId}`): DeletionEvent => ({
  type: 'DeletionCounted',
  data: { userId, artifactId, deletionId, at: instant(hours) },
});
const released = (artifactId: number, deletionId = `d${artifactId}`): DeletionEvent => ({
  type: 'DeletionReleased',
  data: { userId, artifactId, deletionId },
});
const count = (artifactId: number, hours: number, limit = 2, deletionId = `d${artifactId}`): DeletionCommand => ({
  type: 'CountDeletion',
  userId,
  artifactId,
  deletionId,
  at: instant(hours),
  limit,
});
const release = (artifactId: number, deletionId = `d${artifactId}`): DeletionCommand => ({
  type: 'ReleaseDeletion',
  userId,
  artifactId,
  deletionId,
});

describe('count of deletions', () => {
  it('goes up to the limit', () => {
    given().when(count(1, 0)).then(counted(1, 0));
    given(counted(1, 0)).when(count(2, 1)).then(counted(2, 1));
    given(counted(1, 0), counted(2, 1)).when(count(3, 2)).thenProblem('too-many');
  });

  it('forgets a deletion once it is 24 hours old', () => {
    const past = [counted(1, 0), counted(2, 1)];
    given(...past)
      .when(count(3, 23.999))
      .thenProblem('too-many');
    given(...past)
      .when(count(3, 24))
      .then(counted(3, 24));
    given(...past, counted(3, 24))
      .when(count(4, 24.5))
      .thenProblem('too-many');
  });

  it('says after how many seconds the oldest is old enough', () => {
    const refusal = (limit: number, hours: number, ...past: readonly DeletionEvent[]): unknown => {
      try {
        deletionDecider.decide(count(9, hours, limit), fold(deletionDecider, past));
        return undefined;
      } catch (problem) {
        return problem instanceof Problem ? problem.retryAfter : problem;
      }
    };
    expect(refusal(2, 2, counted(1, 0), counted(2, 1))).to.equal(22 * 3600);
    expect(refusal(1, 2, counted(1, 0), counted(2, 1)), 'a limit that was lowered').to.equal(23 * 3600);
  });

  it('counts an artifact once, also when the limit is reached meanwhile', () => {
    given(counted(1, 0))
      .when(count(1, 1, 2, 'another'))
      .thenNothing();
    given(counted(1, 0), counted(2, 1))
      .when(count(1, 2, 2, 'another'))
      .thenNothing();
    given(counted(1, 0))
      .when(count(1, 50, 2, 'another'))
      .thenNothing();
  });

  it('does not begin where nothing may be deleted', () => {
    given()
      .when(count(1, 0, 0))
      .thenProblem('forbidden');
  });

  it('takes back what another user had deleted', () => {
    given(counted(1, 0)).when(release(1)).then(released(1));
    given(counted(1, 0)).when(release(1, 'another')).thenNothing();
    given(counted(1, 0), released(1), counted(2, 1)).when(count(3, 2)).then(counted(3, 2));
    given(counted(1, 0), released(1))
      .when(count(1, 1, 2, 'again'))
      .then(counted(1, 1, 'again'));
  });

  it('knows what is left, and which command deletes an artifact', () => {
    const { state } = given(counted(1, 0), counted(2, 1), released(2), counted(3, 2));
    expect(deletionsLeft(state, 5, instant(3))).to.equal(3);
    expect(deletionsLeft(state, 1, instant(3))).to.equal(0);
    expect(deletionsLeft(state, 5, instant(24))).to.equal(4);
    expect([1, 2, 3].map((id) => countOf(state, id)?.deletionId)).to.deep.equal(['d1', undefined, 'd3']);
  });

  it('never exceeds the limit in any 24 hours, however counts and releases follow each other', () => {
    const command = fc.oneof(
      { weight: 3, arbitrary: fc.record({ release: fc.constant(false), artifactId: fc.nat(12), hours: fc.nat(60) }) },
      { weight: 1, arbitrary: fc.record({ release: fc.constant(true), artifactId: fc.nat(12), hours: fc.nat(60) }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (commands, limit) => {
        let events: readonly DeletionEvent[] = [];
        const inOrder = commands.toSorted((a, b) => a.hours - b.hours);
        for (const { release: isRelease, artifactId, hours } of inOrder) {
          const state = fold(deletionDecider, events);
          const wanted = isRelease ? release(artifactId) : count(artifactId, hours, limit);
          events = [...events, ...decided(wanted, state)];
        }
        expect(mostInOneDay(events)).to.be.at.most(limit);
      }),
    );
  });
});

type State = ReturnType<typeof fold<ReturnType<typeof deletionDecider.evolve>, DeletionCommand, DeletionEvent>>;

function decided(command: DeletionCommand, state: State): readonly DeletionEvent[] {
  try {
    return deletionDecider.decide(command, state);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

/** Of the counts that stand at the end, told without the code that is on trial. */
function mostInOneDay(events: readonly DeletionEvent[]): number {
  const standing = events.filter(
    (event, index) =>
      event.type === 'DeletionCounted' &&
      !events
        .slice(index)
        .some(({ type, data }) => type === 'DeletionReleased' && data.artifactId === event.data.artifactId),
  );
  const instants = standing.map(({ data }) => Date.parse('at' in data ? data.at : ''));
  return Math.max(0, ...instants.map((from) => instants.filter((at) => at >= from && at < from + 24 * HOUR_MS).length));
}
