/** A submission that carries an Idempotency-Key is carried out once, however often it is sent within a day. */
import { randomUUID } from 'node:crypto';
import { type StreamName } from '../../core/event-log.js';
import { foldedStream } from '../../core/folded-streams.js';
import { handle } from '../../core/handle.js';
import { invalidAt, Problem } from '../../core/problem.js';
import { bodyDigest, rememberedRequest, requestDecider, usesOf, type AcceptedRequest } from './accepted-request.js';
import { requestStream } from './accepted-request-events.js';
import { submitArtifact, submittedBefore, type Identified, type Submission, type Submitted } from '../commands.js';
import { type Caller } from '../../authorization/caller.js';
import { type ArtifactPorts } from '../ports.js';
import { namedTracker } from '../authorize.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Undefined without one. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  throw invalidAt('Idempotency-Key', 'has to be 1 to 255 printable characters without spaces');
}

/** A request with the same key has been accepted meanwhile. */
class AcceptedElsewhere extends Error {}

export async function submitOnce(
  submission: Asked,
  { key, body }: { readonly key: string | undefined; readonly body: unknown },
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Submitted> {
  const userId = caller.viewer.user?.id;
  if (key === undefined || userId === undefined) {
    const identify = async () => ({
      artifactId: await ports.nextArtifactId(),
      commandId: randomUUID(),
      isFirst: true,
    });
    return submitArtifact({ ...submission, identify }, ports, caller);
  }
  const once = { stream: requestStream(userId, key), digest: bodyDigest(body) };
  const submit = () => submitUnder(once, submission, ports, caller).catch(orOutcome);
  const orOutcome = async (error: unknown): Promise<Submitted> => {
    if (error instanceof AcceptedElsewhere) return submit();
    // A twin of the request may have been written meanwhile: then its file, say, is attached already.
    const { outcome } = error instanceof Problem ? await outcomeOf(once, submission, ports, caller) : { outcome: null };
    if (outcome === null) throw error;
    return outcome;
  };
  return submit();
}

interface Once {
  readonly stream: StreamName;
  readonly digest: string;
}

type Asked = Omit<Submission, 'identify'>;

interface Outcome {
  /** As the key's stream has it; null if the key was never used. */
  readonly last: AcceptedRequest | null;
  /** Null once the key is free again. */
  readonly accepted: AcceptedRequest | null;
  /** Null while the artifact is not written. */
  readonly outcome: Submitted | null;
}

async function outcomeOf(
  { stream, digest }: Once,
  { trackerId }: Asked,
  ports: ArtifactPorts,
  { viewer }: Caller,
): Promise<Outcome> {
  const { state: last } = (await foldedStream(ports.log, requestDecider, stream)).current;
  const accepted = rememberedRequest(last, { digest, at: ports.clock().toISOString() });
  const outcome = accepted && (await submittedBefore(accepted.artifactId, ports));
  // The answer shows the tracker as it is now.
  if (outcome !== null) namedTracker(trackerId, ports.definitions, viewer);
  return { last, accepted, outcome };
}

async function submitUnder(once: Once, submission: Asked, ports: ArtifactPorts, caller: Caller): Promise<Submitted> {
  const { stream, digest } = once;
  const { last, accepted, outcome } = await outcomeOf(once, submission, ports, caller);
  if (outcome !== null) return outcome;

  const commandOf = ({ artifactId, uses }: Pick<AcceptedRequest, 'artifactId' | 'uses'>) => ({
    artifactId,
    commandId: `${stream}@${uses}`,
  });
  const identify = async (): Promise<Identified> => {
    // The first request crashed before it wrote the artifact, so this one runs again.
    if (accepted !== null) return commandOf(accepted);
    const own = { artifactId: await ports.nextArtifactId(), uses: usesOf(last) + 1 };
    const accept: Identified['accept'] = async (metadata) => {
      const request = { artifactId: own.artifactId, digest, at: metadata.at };
      const command = { stream, commandId: randomUUID(), isNew: true as const, metadata, command: () => request };
      const { state } = await handle(ports.log, requestDecider, command);
      if (state?.artifactId !== own.artifactId || state.uses !== own.uses) throw new AcceptedElsewhere();
    };
    return { ...commandOf(own), isFirst: true, accept };
  };
  return submitArtifact({ ...submission, identify }, ports, caller);
}
