/** After calls have gone unanswered, others fail at once for a while: many may wait for the same. */
export interface CircuitBreaker {
  readonly isOpen: () => boolean;
  /** The server has answered a call, with a result or an error. */
  readonly answered: () => void;
  /** A call has had no answer since then. That opens it unless another call had one meanwhile. */
  readonly gaveUp: (since: number) => void;
}

export function circuitBreaker(coolDownMs: number): CircuitBreaker {
  let answeredAt = -Infinity;
  let openedAt = -Infinity;
  return {
    isOpen: () => performance.now() - openedAt < coolDownMs,
    answered: () => {
      answeredAt = performance.now();
      openedAt = -Infinity;
    },
    gaveUp: (since) => {
      if (answeredAt < since) openedAt = performance.now();
    },
  };
}
