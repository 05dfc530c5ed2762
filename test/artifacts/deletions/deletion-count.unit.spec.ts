import { expect } from 'chai';
import fc from 'fast-check';
import { fold } from '../../../src/core/decider.js';
import { Problem } from '../../../src/core/problem.js';
import {
  countOf,
  deletionDecider,
  deletionsLeft,
  type DeletionCommand,
  type DeletionCounts,
} from '../../../src/artifacts/deletions/deletion-count.js';
import { type DeletionCount, type DeletionEvent } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { specify } from '../../support/specify.js';

const { given } = specify(deletionDecider);

const userId = 101;
const HOUR_MS = 60 * 60 * 1000;
const instant = (hours: number): string => new Date(Date.UTC(2026, 2, 1) + hours * HOUR_MS).toISOString();
const standing = (artifactId: number, hours: number, deletionId = `d${artifactId}`): DeletionCount => ({
  artifactId,
  deletionId,
  at: instant(hours),
});
/** As earlier releases wrote it. */
const counted = (...given: Parameters<typeof standing>): DeletionEvent => ({
  type: 'DeletionCounted',
  data: { userId, ...standing(...given) },
});
const released = (artifactId: number, deletionId = `d${artifactId}`): DeletionEvent => ({
  type: 'DeletionReleased',
  data: { userId, artifactId, deletionId },
});
/** With all that stand after it, the latest first. */
const countedAmong = (own: DeletionCount, ...earlier: readonly DeletionCount[]): DeletionEvent => ({
  type: 'DeletionCounted',
  data: { userId, ...own, counted: [own, ...earlier] },
});
const releasedAmong = (artifactId: number, ...others: readonly DeletionCount[]): DeletionEvent => ({
  type: 'DeletionReleased',
  data: { userId, artifactId, deletionId: `d${artifactId}`, counted: others },
});
const count = (artifactId: number, hours: number, limit = 2, deletionId = `d${artifactId}`): DeletionCommand => ({
  type: 'CountDeletion',
  userId,
  artifactId,
  deletionId,
  at: instant(hours),
  limit,
});
const release = ({ artifactId, deletionId, at: countedAt }: DeletionCount, hours: number): DeletionCommand => ({
  type: 'ReleaseDeletion',
  userId,
  artifactId,
  deletionId,
  countedAt,
  at: instant(hours),
});

describe('count of deletions', () => {
  it('goes up to the limit', () => {
    given()
      .when(count(1, 0))
      .then(countedAmong(standing(1, 0)));
    given(counted(1, 0))
      .when(count(2, 1))
      .then(countedAmong(standing(2, 1), standing(1, 0)));
    given(counted(1, 0), counted(2, 1)).when(count(3, 2)).thenProblem('too-many');
  });

  it('forgets a deletion once it is 24 hours old', () => {
    const past = [counted(1, 0), counted(2, 1)];
    given(...past)
      .when(count(3, 23.999))
      .thenProblem('too-many');
    given(...past)
      .when(count(3, 24))
      .then(countedAmong(standing(3, 24), standing(2, 1)));
    given(...past, counted(3, 24))
      .when(count(4, 24.5))
      .thenProblem('too-many');
  });

  it('returns the seconds until its oldest deletion expires', () => {
    expect(refusal(2, 2, counted(1, 0), counted(2, 1))).to.equal(22 * 3600);
    expect(refusal(1, 2, counted(1, 0), counted(2, 1)), 'a limit that was lowered').to.equal(23 * 3600);
    expect(refusal(1, 0, counted(1, 20)), 'a clock that was ahead').to.equal(24 * 3600);
  });

  it('leaves out what was counted while the clock was a day ahead or more', () => {
    given(counted(1, 24), counted(2, 400))
      .when(count(3, 0, 1))
      .then(countedAmong(standing(3, 0)));
    given(counted(1, 23))
      .when(count(3, 0, 1))
      .thenProblem('too-many');
    given(counted(1, 400))
      .when(release(standing(1, 400), 0))
      .thenAgain(releasedAmong(1));
    const { state } = given(counted(1, 400), counted(2, 0));
    expect(deletionsLeft(state, 5, instant(0))).to.equal(4);
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

  it("releases the count of a deletion that was another user's", () => {
    given(counted(1, 0))
      .when(release(standing(1, 0), 1))
      .then(releasedAmong(1));
    given(counted(1, 0), counted(2, 1))
      .when(release(standing(1, 0), 2))
      .then(releasedAmong(1, standing(2, 1)));
    given(counted(1, 0))
      .when(release(standing(1, 0, 'another'), 1))
      .thenNothing();
    given(counted(1, 0), released(1), counted(2, 1))
      .when(count(3, 2))
      .then(countedAmong(standing(3, 2), standing(2, 1)));
    given(counted(1, 0), released(1))
      .when(count(1, 1, 2, 'again'))
      .then(countedAmong(standing(1, 1, 'again')));
  });

  it('takes back, once it is 24 hours old, what no event tells any more', () => {
    const last = countedAmong(standing(2, 24));
    given(last)
      .when(release(standing(1, 0), 23.999))
      .thenNothing();
    given(last)
      .when(release(standing(1, 0), 24))
      .thenAgain(releasedAmong(1, standing(2, 24)));
    given(releasedAmong(1, standing(2, 24)))
      .when(release(standing(1, 0), 25))
      .thenAgain(releasedAmong(1, standing(2, 24)));
  });

  it('knows what is left, and which command deletes an artifact', () => {
    const { state } = given(counted(1, 0), counted(2, 1), released(2), counted(3, 2));
    expect(deletionsLeft(state, 5, instant(3))).to.equal(3);
    expect(deletionsLeft(state, 1, instant(3))).to.equal(0);
    expect(deletionsLeft(state, 5, instant(24))).to.equal(4);
    expect([1, 2, 3].map((id) => countOf(state, id, 'own')?.deletionId)).to.deep.equal(['d1', undefined, 'd3']);
  });

  it('never exceeds the limit in any 24 hours, however counts and releases follow each other', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 4 }), (history, limit) => {
        expect(mostInOneDay(happened(history, limit))).to.be.at.most(limit);
      }),
    );
  });

  it('is summarised by its last event for the last 24 hours', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 4 }), (history, limit) => {
        const events = happened(history, limit);
        const alone = fold(deletionDecider, events.slice(-1));
        const whole = fold(deletionDecider, events.map(older));
        expect(events.every((event) => deletionDecider.saysAll?.(event))).to.equal(true);
        for (const at of [60, 70, 83].map(instant)) {
          expect(deletionsLeft(alone, limit, at)).to.equal(deletionsLeft(whole, limit, at));
        }
      }),
    );
  });

  it('is exact by events without summaries, over any number of days', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 9 }), (history, limit) => {
        const events = happened(history, limit, older);
        expect(mostInOneDay(events)).to.be.at.most(limit);
        const last = Date.parse(instant(60));
        const inLastDay = standingInstants(events).filter((at) => at > last - 24 * HOUR_MS).length;
        expect(deletionsLeft(fold(deletionDecider, events), 100, instant(60))).to.equal(100 - inLastDay);
      }),
    );
  });

  it('of a user who deletes much every day is kept in a bounded state, and never too low', () => {
    const [perDay, days] = [5000, 3];
    let state: DeletionCounts = deletionDecider.initialState;
    for (let n = 0; n < perDay * days; n += 1) {
      const hours = (n * 24) / perDay;
      state = deletionDecider.evolve(state, counted(n, hours));
      if (n % 97 !== 0) continue;
      const exact = Math.min(n + 1, perDay);
      const perMinute = Math.ceil(perDay / (24 * 60));
      expect(10_000 - deletionsLeft(state, 10_000, instant(hours))).to.be.within(exact, exact + perMinute);
    }
    expect(state.latest).to.have.lengthOf(1000);
    expect(state.earlier.length).to.be.at.most(2 * 24 * 60);
    const end = instant(days * 24);
    expect(deletionsLeft(state, 10_000, end), 'at the end').to.be.at.least(5000);
    expect(deletionsLeft(state, 10_000, instant(days * 24 + 24))).to.equal(10_000);
  });

  it('of more than 1,000 is released among the latest, and else stays until it is 24 hours old', () => {
    const past = Array.from({ length: 1010 }, (_, n) => counted(n, 10 + n / 60 / 60));
    const { state } = given(...past);
    const left = (counts: DeletionCounts): number => deletionsLeft(counts, 2000, instant(12));
    const after = (artifactId: number): number => left(deletionDecider.evolve(state, released(artifactId)));
    expect([left(state), after(10), after(9)]).to.deep.equal([990, 991, 990]);
    expect(deletionsLeft(state, 2000, instant(34 + 59 / 60 / 60))).to.equal(2000 - 1010 + 60);
    given(...past)
      .when(release(standing(1000, 10 + 1000 / 60 / 60), 12))
      .then(released(1000));
    given(...past)
      .when(release(standing(9, 10 + 9 / 60 / 60), 12))
      .thenAgain(released(9));
    given(...past)
      .when(release(standing(2000, 11), 12))
      .thenNothing();
    given(...past)
      .when(count(2000, 12, 1010))
      .thenProblem('too-many');
  });

  it('of more than 1,000 forgets none before it is 24 hours old, also where the clock went back', () => {
    const seconds = [30, 0, ...Array.from({ length: 1000 }, (_, n) => 3600 + n)];
    const { state } = given(...seconds.map((second, n) => counted(n, second / 3600)));
    const left = [29, 30].map((second) => deletionsLeft(state, 2000, instant(24 + second / 3600)));
    expect(left).to.deep.equal([2000 - 1002, 2000 - 1000]);
  });

  it('of more than 1,000 returns the seconds until enough of them expire', () => {
    const past = Array.from({ length: 1200 }, (_, n) => counted(n, 10 + n / 60 / 60));
    const seconds = [1200, 1139, 1000, 1].map((limit) => refusal(limit, 12, ...past));
    expect(seconds).to.deep.equal([22 * 3600 + 59, 22 * 3600 + 119, 22 * 3600 + 200, 22 * 3600 + 1199]);
  });

  it('of more than 100 is told by no event, and is known from all of them', () => {
    const among = Array.from({ length: 100 }, (_, n) => standing(n, n / 100)).toReversed();
    const [latest, ...earlier] = [standing(100, 1), ...among];
    given(countedAmong(among[0]!, ...among.slice(1)))
      .when(count(100, 1, 1000))
      .then({ type: 'DeletionCounted', data: { userId, ...latest } });
    const { state } = given(countedAmong(among[0]!, ...among.slice(1)), counted(100, 1));
    expect(deletionsLeft(state, 1000, instant(1))).to.equal(899);
    expect(deletionDecider.saysAll?.(counted(100, 1))).to.equal(false);
    given(countedAmong(among[0]!, ...among.slice(1)), counted(100, 1))
      .when(count(101, 24.5, 1000))
      .then(countedAmong(standing(101, 24.5), latest, ...earlier.slice(0, 49)));
  });
});

/** After how many seconds a further deletion is no longer refused. */
function refusal(limit: number, hours: number, ...past: readonly DeletionEvent[]): unknown {
  try {
    deletionDecider.decide(count(9999, hours, limit), fold(deletionDecider, past));
    return undefined;
  } catch (problem) {
    return problem instanceof Problem ? problem.retryAfter : problem;
  }
}

/** In the order of their instants. */
const histories = fc
  .array(
    fc.record({
      isRelease: fc.integer({ max: 3, min: 0 }).map((n) => n === 0),
      artifactId: fc.nat(12),
      hours: fc.nat(60),
    }),
    { maxLength: 60 },
  )
  .map((commands) => commands.toSorted((a, b) => a.hours - b.hours));

type History = typeof histories extends fc.Arbitrary<infer H> ? H : never;

function older({ type, data }: DeletionEvent): DeletionEvent {
  const { artifactId, deletionId } = data;
  if (type === 'DeletionReleased') return released(artifactId, deletionId);
  return { type, data: { userId, artifactId, deletionId, at: data.at } };
}

function happened(
  history: History,
  limit: number,
  shaped: (event: DeletionEvent) => DeletionEvent = (event) => event,
): readonly DeletionEvent[] {
  let events: readonly DeletionEvent[] = [];
  for (const { isRelease, artifactId, hours } of history) {
    const state = fold(deletionDecider, events);
    const own = countOf(state, artifactId, 'own') ?? standing(artifactId, hours);
    const wanted = isRelease ? release(own, hours) : count(artifactId, hours, limit);
    events = [...events, ...decided(wanted, state).map(shaped)];
  }
  return events;
}

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
function standingInstants(events: readonly DeletionEvent[]): readonly number[] {
  const standing = events.filter(
    (event, index) =>
      event.type === 'DeletionCounted' &&
      !events
        .slice(index)
        .some(({ type, data }) => type === 'DeletionReleased' && data.artifactId === event.data.artifactId),
  );
  return standing.map(({ data }) => Date.parse('at' in data ? data.at : ''));
}

function mostInOneDay(events: readonly DeletionEvent[]): number {
  const instants = standingInstants(events);
  return Math.max(0, ...instants.map((from) => instants.filter((at) => at >= from && at < from + 24 * HOUR_MS).length));
}
