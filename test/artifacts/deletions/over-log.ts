/** Deletions over another log object than that of the service: its commands queue on their own, as those of another process do. */
import { archiveIn } from '../../../src/artifacts/archive/commands.js';
import { deleteArtifact, type Allowance } from '../../../src/artifacts/deletions/commands.js';
import { type DeletionPorts } from '../../../src/artifacts/deletions/ports.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type EventLog, type Revision } from '../../../src/core/event-log.js';
import { type DeletionApi } from './deletion-api.js';

export const portsOver = (log: EventLog, api: DeletionApi): DeletionPorts => ({
  ...api.ports(),
  log,
  archive: archiveIn(api.archiveDir, { ...api.service, log }),
});

interface Removal {
  readonly artifactId: number;
  readonly as?: string;
  /** The only revision that is meant. */
  readonly only?: Revision | undefined;
  readonly told?: Allowance[];
}

export function removeOver(
  log: EventLog,
  api: DeletionApi,
  { artifactId, as = 'bob', only, told = [] }: Removal,
): Promise<void> {
  const { definitions } = api.service;
  const user = definitions.userNamed(as)!;
  const caller = { viewer: viewer(definitions, user), user, requestId: 'paused' };
  const precondition = only === undefined ? undefined : ({ revision }: { revision: Revision }) => revision === only;
  return deleteArtifact({ artifactId, precondition }, portsOver(log, api), caller, (allowance) => told.push(allowance));
}
