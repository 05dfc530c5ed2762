import { expect } from 'chai';
import fc from 'fast-check';
import { type Change, type Stored } from '../../../../src/core/projection.js';
import { type ReadModel } from '../../../../src/core/read-models.js';
import { type RecentCommits } from '../../../../src/stores/mongodb/projection-documents.js';
import { changesSeen, recentlyAnnounced } from '../../../../src/stores/mongodb/read-models/announced-changes.js';
import { type Served } from '../../../../src/stores/mongodb/read-models/state.js';
import { at, note, notes, type Note } from '../../contracts/read-models-fixture.js';

const letters: ReadModel<Note> = { ...notes, stamped: { references: 'to' } };
const IDS = [1, 2, 3];

/** What an event makes of a document: to whom it refers. */
type Letter = readonly [id: number, targets: readonly number[]];
type Documents = ReadonlyMap<number, Stored & { readonly document: Note }>;

const noteOf = ([id, targets]: Letter): Note => note(id, ...targets.map((value) => ({ key: 'to', value })));
const refersTo = ({ entries }: Note, id: number): boolean =>
  entries.some((entry) => 'value' in entry && entry.value === id);

/** All that an answer about a document shows: its last change, and those of the documents that refer to it. */
const shown = (documents: Documents, id: number): string =>
  JSON.stringify([
    documents.get(id)?.position,
    ...IDS.flatMap((other) => {
      const found = documents.get(other);
      return found !== undefined && refersTo(found.document, id) ? [[other, found.position]] : [];
    }),
  ]);

/** One generation on a server, its workers, of which each may be interrupted anywhere, and a reader. */
function world() {
  const log: Letter[] = [];
  const stored = new Map<number, Stored & { readonly document: Note }>();
  const state = { changed: 0, checkpoint: 0, token: 1, recent: undefined as RecentCommits | undefined };
  /** The last one is of an earlier release, which tells nothing. */
  const workers = [recentlyAnnounced(), recentlyAnnounced(), undefined];
  let announced = workers[0];
  const seen = changesSeen();
  let isSettled = true;
  const late: (() => void)[] = [];
  const served = (): Served => ({
    id: 'p',
    generation: 1,
    version: 1,
    models: [],
    token: state.token,
    position: at(state.checkpoint),
    changed: { notes: at(state.changed) },
    ...(state.recent && { recent: state.recent }),
  });
  let looked = served();
  const remembered = IDS.map(() => new Map<string | undefined, string>());
  const stampOf = (id: number): string | undefined => seen.stamp(looked, letters, [id], id);
  /** What an answer may not lack: it is acknowledged. */
  const owed = (id: number): string => {
    const made = new Map<number, Stored & { readonly document: Note }>();
    for (const [index, one] of log.slice(0, state.checkpoint).entries()) {
      made.set(one[0], { document: noteOf(one), position: at(index + 1) });
    }
    return shown(made, id);
  };
  /** What the events up to a position make, as far as it is not stored yet. */
  const changesUpTo = (end: number): readonly Change[] => {
    const changes = new Map<number, Change>();
    for (let n = state.checkpoint + 1; n <= end; n += 1) {
      const letter = log[n - 1]!;
      const before = stored.get(letter[0]) ?? null;
      if (before !== null && before.position >= at(n)) continue;
      changes.set(letter[0], { model: letters, id: letter[0], document: noteOf(letter), position: at(n), before });
    }
    return [...changes.values()];
  };
  const announce = (end: number, changes: readonly Change[]): (() => void) => {
    const { token } = state;
    const recent = announced?.add('p 1', token, changes);
    return () => {
      const isOverdue = recent !== undefined && state.recent?.token === token && state.recent.count >= recent.count;
      if (state.token !== token || isOverdue) return;
      state.changed = Math.max(state.changed, end);
      state.recent = recent ?? state.recent;
    };
  };
  return {
    append: (letter: Letter): void => {
      log.push(letter);
    },
    /** One commit of up to `size` events, which ends after some of its steps: announcement, documents, checkpoint. */
    work: ({ size, steps }: { size: number; steps: number }): void => {
      const end = Math.min(log.length, state.checkpoint + size);
      if (end === state.checkpoint) return;
      const changes = changesUpTo(end);
      if (changes.length > 0) {
        const arrive = announce(end, changes);
        if (steps === 0) {
          late.push(arrive);
          return;
        }
        arrive();
      }
      for (const { id, document, position } of changes.slice(0, steps - 1)) {
        stored.set(Number(id), { document: document as Note, position });
      }
      if (steps > changes.length + 1) state.checkpoint = Math.max(state.checkpoint, end);
    },
    arriveLate: (): void => late.pop()?.(),
    takeOver: (worker: number): void => {
      state.token += 1;
      announced = workers[worker];
    },
    stamp: stampOf,
    /** What is remembered by its stamp would be given again. */
    look: (): void => {
      seen.look([served()]);
      looked = served();
      isSettled = state.changed <= state.checkpoint;
      for (const [index, id] of IDS.entries()) {
        // A commit that was cut short may have stored more than is acknowledged.
        expect([owed(id), shown(stored, id)]).to.include(remembered[index]!.get(stampOf(id)) ?? owed(id));
      }
    },
    /** Remembers answers as they would be made now, by what the last look found. */
    make: (): void => {
      if (!isSettled) return;
      for (const [index, id] of IDS.entries()) remembered[index]!.set(stampOf(id), shown(stored, id));
    },
  };
}

const letter = fc.tuple(fc.constantFrom(...IDS), fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 2 }));
const ALL = 9;
const work = fc.record({
  size: fc.integer({ min: 1, max: 3 }),
  steps: fc.oneof(fc.constant(ALL), fc.integer({ min: 0, max: 4 })),
});
type World = ReturnType<typeof world>;
type Step = (on: World) => void;
const onWorld = <T>(arbitrary: fc.Arbitrary<T>, step: (on: World, given: T) => void): fc.Arbitrary<Step> =>
  arbitrary.map((given) => (on) => {
    step(on, given);
  });
const none = fc.constant(undefined);

describe('What commits on MongoDB announce', () => {
  it('leaves no stamp as it was when an answer that was made then lacks what is acknowledged', () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: onWorld(letter, (on, one) => {
          on.append(one);
        }),
      },
      {
        weight: 6,
        arbitrary: onWorld(work, (on, how) => {
          on.work(how);
        }),
      },
      {
        weight: 1,
        arbitrary: onWorld(none, (on) => {
          on.arriveLate();
        }),
      },
      {
        weight: 2,
        arbitrary: onWorld(fc.nat(2), (on, worker) => {
          on.takeOver(worker);
        }),
      },
      {
        weight: 3,
        arbitrary: onWorld(none, (on) => {
          on.look();
        }),
      },
      {
        weight: 3,
        arbitrary: onWorld(none, (on) => {
          on.make();
        }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), (steps) => {
        const on = world();
        for (const one of steps) one(on);
      }),
      { numRuns: 3000 },
    );
  });

  const committing = () => {
    const on = world();
    const commit = (...one: Letter): void => {
      on.append(one);
      on.work({ size: 1, steps: ALL });
    };
    commit(1, []);
    commit(2, []);
    on.look();
    return { on, commit };
  };

  it('leaves the stamps of all other documents as they were, however many commits come between two looks', () => {
    const { on, commit } = committing();
    const before = on.stamp(1);
    for (let n = 0; n < 40; n += 1) commit(2, [3]);
    on.look();
    expect(on.stamp(1)).to.equal(before);
    expect(before).to.be.a('string');
    commit(3, [1]);
    on.look();
    expect(on.stamp(1)).not.to.equal(before);
  });

  it('tells of each change, or that some are not told', () => {
    for (let others = 0; others < 120; others += 1) {
      const { on, commit } = committing();
      const before = on.stamp(1);
      commit(1, []);
      for (let n = 0; n < others; n += 1) commit(2, []);
      on.look();
      expect(on.stamp(1)).not.to.equal(before);
    }
  });

  it('stays short, however many commits there are, and tells nothing of a large one', () => {
    const recent = recentlyAnnounced();
    const commit = (...ids: readonly number[]) =>
      recent.add(
        'p 1',
        1,
        ids.map((id) => ({ model: letters, id, document: null, position: at(1), before: null })),
      );
    for (let n = 1; n < 300; n += 1) commit(n);
    const many = commit(300);
    expect(many).to.include({ count: 300 });
    expect(many!.commits.length).to.be.within(10, 200);
    expect(many!.commits.at(-1)).to.deep.equal({ [letters.name]: { ids: [300], referredTo: [] } });
    expect(commit(...Array.from({ length: 300 }, (_, n) => n))).to.deep.equal({ token: 1, count: 301, commits: [] });
  });

  /** As a look finds it, where each commit has changed these documents. */
  const servedAfter = (commits: readonly (readonly number[])[]): Served => {
    const told = commits.map((ids) => ({ notes: { ids, referredTo: [] } }));
    const recent = { token: 1, count: commits.length, commits: told };
    return { id: 'p', generation: 1, version: 1, models: [], token: 1, position: at(9), changed: {}, recent };
  };
  /** The stamps of a document, by looks one after the other. */
  const stampsOf = (id: number, ...looks: readonly Served[]): readonly unknown[] => {
    const seen = changesSeen();
    return looks.map((served) => {
      seen.look([served]);
      return seen.stamp(served, letters, [id]);
    });
  };

  it('leaves no stamp as it was in a database that was restored to an earlier state', () => {
    const earlier = servedAfter([[1], [2], [3]]);
    const stamps = stampsOf(4, earlier, servedAfter([[1], [2], [3], [4]]), earlier);
    expect(new Set(stamps).size).to.equal(3);
  });

  it('is forgotten by a reader that remembers very many documents, whose stamps are other ones then', () => {
    const many = Array.from({ length: 100_001 }, (_, id) => id);
    const looks = [[[1]], [[1], many], [[1], many, [1]]].map(servedAfter);
    const [before, after, later] = stampsOf(-1, ...looks);
    expect(after).to.equal(before).and.be.a('string');
    expect(later).to.be.a('string').and.not.equal(before);
  });

  it('gives no stamp for a commit that was reported ahead of a look', () => {
    const seen = changesSeen();
    const served: Served = { id: 'p', generation: 1, version: 1, models: [], token: 1, position: at(1), changed: {} };
    seen.look([served]);
    expect(seen.stamp(served, letters, [1])).to.be.a('string');
    expect(seen.stamp({ ...served, changed: { notes: at(2) } }, letters, [1])).to.equal(undefined);
  });
});
