import { type Clock } from '../../src/core/clock.js';

type Store = 'log' | 'read models';

/** A store that this process gets no answer from. */
export interface Unreachable {
  readonly store: Store;
  readonly since: Date;
}

export interface Reachability {
  /** Of a call that began then. A late answer is one, too; the same one is not told twice. */
  readonly answered: (store: Store, began: Date) => void;
  /** Those that have been silent for longer than it takes to get over the loss of a server, or to choose a leader. */
  readonly unreachable: () => readonly Unreachable[];
}

const UNREACHABLE_MS = 6000;

export function reachability(clock: Clock): Reachability {
  const started = { at: clock(), began: Number.NaN };
  const last = new Map<Store, typeof started>([
    ['log', started],
    ['read models', started],
  ]);
  return {
    answered: (store, began) => {
      if (last.get(store)?.began !== began.getTime()) last.set(store, { at: clock(), began: began.getTime() });
    },
    unreachable: () =>
      Array.from(last, ([store, { at }]) => ({ store, since: at })).filter(
        ({ since }) => clock().getTime() - since.getTime() > UNREACHABLE_MS,
      ),
  };
}
