/** A submission that carries an Idempotency-Key is carried out once, however often it is sent within a day. */
import { randomUUID } from 'node:crypto';
import { handle } from '../../core/handle.js';
import { Problem } from '../../core/problem.js';
import { fold } from '../../core/decider.js';
import { bodyDigest, requestDecider, requestStream, type RequestEvent } from './accepted-request.js';
import { submitArtifact, submittedBefore, type Submission, type Submitted } from '../commands.js';
import { type ArtifactPorts, type Caller } from '../ports.js';
import { namedTracker } from '../authorize.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Undefined without one. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  const message = 'has to be 1 to 255 printable characters without spaces';
  throw new Problem('invalid', `Idempotency-Key ${message}`, { details: [{ pointer: 'Idempotency-Key', message }] });
}

export async function submitOnce(
  submission: Omit<Submission, 'accept' | 'isOnce'>,
  { key, body }: { readonly key: string | undefined; readonly body: unknown },
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Submitted> {
  const userId = caller.viewer.user?.id;
  if (key === undefined || userId === undefined) {
    const accept = async () => ({ artifactId: await ports.nextArtifactId(), commandId: randomUUID() });
    return submitArtifact({ ...submission, isOnce: false, accept }, ports, caller);
  }
  const stream = requestStream(userId, key);
  const digest = bodyDigest(body);
  const outcome = await firstOutcome(stream, digest, ports);
  if (outcome !== null) {
    // The answer shows the tracker as it is now.
    namedTracker(submission.trackerId, ports.directory, caller.viewer);
    return outcome;
  }

  return submitArtifact(
    {
      ...submission,
      isOnce: true,
      accept: async (metadata) => {
        const request = { artifactId: await ports.nextArtifactId(), digest, at: metadata.at };
        const command = { stream, commandId: randomUUID(), metadata, command: () => request };
        const { state } = await handle(ports.log, requestDecider, command);
        const accepted = state ?? { ...request, uses: 1 };
        return { artifactId: accepted.artifactId, commandId: `${stream}@${accepted.uses}` };
      },
    },
    ports,
    caller,
  );
}

/** Null when the key is free, or when its request was cut off before the artifact was written: then it is gone through again. */
async function firstOutcome(
  stream: ReturnType<typeof requestStream>,
  digest: string,
  ports: ArtifactPorts,
): Promise<Submitted | null> {
  const { events } = await ports.log.read<RequestEvent>(stream);
  const accepted = fold(requestDecider, events);
  if (accepted === null) return null;
  const again = requestDecider.decide({ artifactId: 0, digest, at: ports.clock().toISOString() }, accepted);
  return again.length > 0 ? null : submittedBefore(accepted.artifactId, ports);
}
