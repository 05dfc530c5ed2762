import { expect } from 'chai';
import fc from 'fast-check';
import { type Change } from '../../../../src/core/projection.js';
import { type ReadModel } from '../../../../src/core/read-models.js';
import { type RecentCommits } from '../../../../src/stores/mongodb/projection-documents.js';
import { changesSeen, recentlyAnnounced } from '../../../../src/stores/mongodb/read-models/announced-changes.js';
import { type Served } from '../../../../src/stores/mongodb/read-models/state.js';
import { at, note, notes, type Note } from '../../contracts/read-models-fixture.js';

const letters: ReadModel<Note> = { ...notes, references: 'to' };
const IDS = [1, 2, 3, 4];

type Letter = readonly [id: number, targets: readonly number[]];

const letter = fc.tuple(fc.constantFrom(...IDS), fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 2 }));
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('commit' as const), letter }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('lost' as const, 'late' as const), letter }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('blind' as const, 'many' as const, 'generation' as const),
      letter,
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('takeover' as const), letter }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('look' as const), letter }) },
);

/** What is stored of a generation, and what has truly changed. */
function world() {
  const stored = new Map<number, Note>();
  const truth = new Map<string, number>();
  let [last, token, generation] = [0, 1, 1];
  const seen = changesSeen();
  let [announced, other] = [recentlyAnnounced(), recentlyAnnounced()];
  let state: { changed: Served['changed']; recent?: RecentCommits } = { changed: {} };
  let previous = state;
  const served = (): Served => ({ id: 'p', generation, version: 1, position: null, models: [], ...state });
  const changeTo = ([id, targets]: Letter, isBlind: boolean): Change => {
    const document = note(id, ...targets.map((value) => ({ key: 'to', value })));
    const before = stored.get(id);
    for (const value of [document, before].flatMap((one) => one?.entries ?? [])) {
      if ('value' in value) truth.set(`to ${value.value}`, last);
    }
    truth.set(String(id), last);
    stored.set(id, document);
    const known = before === undefined ? null : { document: before, position: at(last - 1) };
    return { model: letters, id, document, position: at(last), ...(!isBlind && { before: known }) };
  };
  return {
    commit: (letters: readonly Letter[], { isBlind = false, isLost = false } = {}): void => {
      last += 1;
      const changes = letters.map((one) => changeTo(one, isBlind));
      const recent = announced.add(`p ${generation}`, token, at(last), changes);
      previous = state;
      // Without its announcement, a commit is tried again before the next one.
      state = isLost ? state : { changed: { [letters.length > 0 ? 'notes' : 'none']: at(last) }, recent };
    },
    /** An older announcement arrives after the last one. */
    late: (): void => {
      if (previous.recent !== undefined) state = { ...state, recent: previous.recent };
    },
    takeover: (): void => {
      token += 1;
      [announced, other] = [other, announced];
    },
    forget: (): void => {
      generation += 1;
      truth.clear();
      for (const id of IDS) truth.set(String(id), last);
    },
    look: (): readonly (readonly [stamp: string | undefined, truth: string])[] => {
      seen.look(served());
      return IDS.map((id) => {
        const facts = [generation, truth.get(String(id)), truth.get(`to ${id}`)].join(' ');
        return [seen.stamp(served(), 'notes', [id], id), facts] as const;
      });
    },
  };
}

describe('What commits on MongoDB announce', () => {
  it('never leaves a stamp as it was when a document or one that refers to it has changed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { commit, late, takeover, forget, look } = world();
        const known = IDS.map(() => new Map<string | undefined, string>());
        const compare = (): void => {
          for (const [index, [stamp, truth]] of look().entries()) {
            expect(known[index]?.get(stamp) ?? truth).to.equal(truth);
            known[index]?.set(stamp, truth);
          }
        };
        const actions: Readonly<Record<(typeof steps)[number]['type'], (one: Letter) => void>> = {
          commit: (one) => {
            commit([one]);
          },
          lost: (one) => {
            commit([one], { isLost: true });
            commit([one]);
          },
          blind: (one) => {
            commit([one], { isBlind: true });
          },
          many: (one) => {
            commit([...Array<Letter>(600).fill([9, []]), one]);
          },
          late,
          takeover,
          generation: forget,
          look: compare,
        };
        for (const { type, letter: one } of steps) actions[type](one);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves the stamps of all other documents as they were, however many commits come between two looks', () => {
    const { commit, look } = world();
    commit([[4, []]]);
    const [before] = look();
    for (let n = 0; n < 100; n += 1) commit([[2, [3]]]);
    expect(look()[0]).to.deep.equal(before);
    commit([[4, [1]]]);
    expect(look()[0]?.[0]).not.to.equal(before?.[0]);
  });
});
