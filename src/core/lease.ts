/** The right to be the only one who does something, among all processes: held for a while, and renewed. */
export interface Lease {
  /** Grows with each new holder, so that a store can refuse one who holds it no longer. */
  readonly token: number;
  /** Aborts when the lease is lost, and when it can no longer be known whether it is held. */
  readonly lost: AbortSignal;
  /** Others may have it at once. */
  release(): Promise<void>;
}

/** Another process may hold the lease now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(lease: string) {
    super(`The lease of ${lease} is lost`);
  }
}

/** The store is there, but refuses to write the lease, as on a full disk. */
export class LeaseRefused extends Error {
  override readonly name = 'LeaseRefused';
}

export interface Leases {
  /**
   * Waits for as long as another process holds it, and while the store is away. Throws the signal's reason once it aborts,
   * and LeaseRefused where the leases are of work that need not wait for the store to write again.
   */
  acquire(name: string, signal: AbortSignal): Promise<Lease>;
}

/** Does the work while no other process does; throws when the lease is lost before the work is done. */
export async function withLease<T>(
  leases: Leases,
  name: string,
  signal: AbortSignal,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lease = await leases.acquire(name, signal);
  try {
    const done = await work(lease.lost);
    lease.lost.throwIfAborted();
    return done;
  } finally {
    await lease.release();
  }
}
