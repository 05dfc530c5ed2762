/** What the log throws of its own. A file of its own: who logs them needs no client. */
import { type Revision, type StreamName } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';

/** What another try may mend: nobody knows what became of the last one. */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
}

/** The server has not answered in time. */
export class IdleTimeout extends TransientError {
  override readonly name: string = 'IdleTimeout';
}

/** The server has answered, but with less than there is. */
export class Incomplete extends TransientError {
  override readonly name: string = 'Incomplete';
}

/** The server refuses the user while the service runs. Nothing helps but an operator, and no restart is needed. */
export class Denied extends TransientError {
  override readonly name: string = 'Denied';
}

/** The log as a whole cannot be used right now. */
export class Unavailable extends Problem {}

/** The store no longer has what was once stored of one stream. It concerns nothing else. */
export class StreamLost extends Problem {
  constructor(stream: StreamName, reason: string) {
    super(
      'unavailable',
      `The event log has lost events of the stream ${stream}: ${reason}. An operator has to look at it`,
      {
        retryAfter: LOST_RETRY_AFTER,
      },
    );
  }
}

const LOST_RETRY_AFTER = 60;

/** For operators: nothing of it mends itself. */
export function needsOperator(error: unknown): boolean {
  return error instanceof Denied || error instanceof StreamLost;
}

export function lacking(stream: StreamName, first: Revision | undefined): StreamLost {
  const reason = first === undefined ? 'it exists, but shows no event' : `it has no event before revision ${first}`;
  return new StreamLost(stream, reason);
}
