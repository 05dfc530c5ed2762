/** What every change of a file takes. What uploads and artifacts do with files is made of it. */
import { randomUUID } from 'node:crypto';
import { actorOf, signedIn, type Caller } from '../authorization/caller.js';
import { type Position } from '../core/event-log.js';
import { foldedStream, type Current } from '../core/folded-streams.js';
import { handle, type CommandEnvelope, type Handled } from '../core/handle.js';
import { Problem } from '../core/problem.js';
import { fileStream } from './file-events.js';
import { fileDecider, type File, type FileCommand } from './file.js';
import { FILES } from './file-view.js';
import { type FilePorts } from './ports.js';

/** Who changes a file, and in which request. */
export type ChangedBy = Required<Pick<CommandEnvelope<unknown, unknown>['metadata'], 'actor' | 'requestId'>>;

/** Whose upload it is. */
export interface Uploader extends ChangedBy {
  readonly userId: number;
}

/** `refuse` throws for who may not upload by the rights of now. */
export const uploaderOf = (caller: Caller, refuse?: () => unknown): Uploader => ({
  userId: signedIn(caller.viewer).id,
  actor: actorOf(caller, refuse),
  requestId: caller.requestId,
});

/** As it stands in the log; null when it was never uploaded. */
export async function fileById(id: number, { log }: Pick<FilePorts, 'log'>): Promise<File | null> {
  return (await foldedStream(log, fileDecider, fileStream(id))).current.state;
}

export async function shown(position: Position | null, { readModels }: Pick<FilePorts, 'readModels'>): Promise<void> {
  if (position !== null) await readModels.caughtUp(FILES, position);
}

export function handleFile(
  fileId: number,
  command: FileCommand | ((current: Current<File | null>) => FileCommand),
  { log, clock }: Pick<FilePorts, 'log' | 'clock'>,
  by: ChangedBy | null,
): Promise<Handled<File | null>> {
  return handle(log, fileDecider, {
    stream: fileStream(fileId),
    commandId: randomUUID(),
    isNew: true,
    metadata: {
      actor: by?.actor ?? null,
      at: clock().toISOString(),
      ...(by !== null && { requestId: by.requestId }),
    },
    command: (current) => (typeof command === 'function' ? command(current) : command),
  });
}

/**
 * Whether the bytes of the last chunk are there, and stay. A process may have died before it looked, once the chunk had
 * its event. Of each chunk before the last one, this was looked at before the next one came.
 */
export async function hasLastChunk(
  { last }: Pick<File, 'last'>,
  { blobs }: Pick<FilePorts, 'blobs'>,
): Promise<boolean> {
  return last === null || blobs.keep(last);
}

/** False if it is kept, because it was attached meanwhile. */
export async function discardFile(fileId: number, ports: FilePorts, by: Uploader): Promise<boolean> {
  const { state, position } = await handleFile(fileId, { type: 'DiscardFile' }, ports, by);
  await shown(position, ports);
  return state?.status === 'discarded';
}

/** Of an upload whose bytes were erased as unnamed ones, because naming them has taken so long. */
export async function abandonUpload(fileId: number, ports: FilePorts, by: Uploader): Promise<never> {
  await discardFile(fileId, ports, by);
  throw new Problem('not-found', 'The upload was interrupted for too long; start a new one');
}
