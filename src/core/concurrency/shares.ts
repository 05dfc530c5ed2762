/** What several have of something bounded. Each leaves as much free as it has: one alone takes half, and others come in beside. */
export interface Shares {
  readonly of: (owner: string) => number;
  /** Below zero, gives back. */
  readonly add: (owner: string, amount: number) => void;
  /** How much too little would be free once an owner has taken so many more. */
  readonly lack: (owner: string, more: number) => number;
}

export function sharesOf(most: number): Shares {
  const byOwner = new Map<string, number>();
  let taken = 0;
  const of = (owner: string): number => byOwner.get(owner) ?? 0;
  return {
    of,
    add: (owner, amount) => {
      taken += amount;
      const share = of(owner) + amount;
      if (share === 0) byOwner.delete(owner);
      else byOwner.set(owner, share);
    },
    lack: (owner, more) => of(owner) + more - (most - taken - more),
  };
}
