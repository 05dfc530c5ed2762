/** A submission that carries an Idempotency-Key is carried out once, however often it is sent within a day. */
import { randomUUID } from 'node:crypto';
import { type StreamName } from '../../core/event-log.js';
import { handle } from '../../core/handle.js';
import { Problem } from '../../core/problem.js';
import { fold } from '../../core/decider.js';
import {
  bodyDigest,
  rememberedRequest,
  requestDecider,
  requestStream,
  type AcceptedRequest,
  type RequestEvent,
} from './accepted-request.js';
import { submitArtifact, submittedBefore, type Identified, type Submission, type Submitted } from '../commands.js';
import { type ArtifactPorts, type Caller } from '../ports.js';
import { namedTracker } from '../authorize.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Undefined without one. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  const message = 'has to be 1 to 255 printable characters without spaces';
  throw new Problem('invalid', `Idempotency-Key ${message}`, { details: [{ pointer: 'Idempotency-Key', message }] });
}

/** A request with the same key has been accepted meanwhile. */
class AcceptedElsewhere extends Error {}

export async function submitOnce(
  submission: Omit<Submission, 'identify'>,
  { key, body }: { readonly key: string | undefined; readonly body: unknown },
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Submitted> {
  const userId = caller.viewer.user?.id;
  if (key === undefined || userId === undefined) {
    const identify = async () => ({ artifactId: await ports.nextArtifactId(), commandId: randomUUID() });
    return submitArtifact({ ...submission, identify }, ports, caller);
  }
  const once = { stream: requestStream(userId, key), digest: bodyDigest(body) };
  try {
    return await submitUnder(once, submission, ports, caller);
  } catch (error) {
    if (error instanceof AcceptedElsewhere) return submitUnder(once, submission, ports, caller);
    throw error;
  }
}

interface Once {
  readonly stream: StreamName;
  readonly digest: string;
}

async function submitUnder(
  { stream, digest }: Once,
  submission: Omit<Submission, 'identify'>,
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Submitted> {
  const { events } = await ports.log.read<RequestEvent>(stream);
  const before = fold(requestDecider, events);
  const accepted = rememberedRequest(before, { digest, at: ports.clock().toISOString() });
  const outcome = accepted && (await submittedBefore(accepted.artifactId, ports));
  if (outcome !== null) {
    // The answer shows the tracker as it is now.
    namedTracker(submission.trackerId, ports.directory, caller.viewer);
    return outcome;
  }

  const commandOf = ({ artifactId, uses }: Pick<AcceptedRequest, 'artifactId' | 'uses'>) => ({
    artifactId,
    commandId: `${stream}@${uses}`,
  });
  const identify = async (): Promise<Identified> => {
    // Cut off before the artifact was written: it is gone through again.
    if (accepted !== null) return commandOf(accepted);
    const own = { artifactId: await ports.nextArtifactId(), uses: (before?.uses ?? 0) + 1 };
    const accept: Identified['accept'] = async (metadata) => {
      const request = { artifactId: own.artifactId, digest, at: metadata.at };
      const command = { stream, commandId: randomUUID(), metadata, command: () => request };
      const { state } = await handle(ports.log, requestDecider, command);
      if (state?.artifactId !== own.artifactId || state.uses !== own.uses) throw new AcceptedElsewhere();
    };
    return { ...commandOf(own), accept };
  };
  return submitArtifact({ ...submission, identify }, ports, caller);
}
