/** The files that an artifact held at any time, as their own streams describe them. */
import { type ArtifactEvent } from '../artifact-events.js';
import { numbersOf } from '../../trackers/field-types/canonical.js';
import { turnTaking } from '../../core/concurrency/others-turn.js';
import { type EventReader, type Position } from '../../core/event-log.js';
import { fileStream, type Chunk, type FileEvent, type FileInfo } from '../../files/file-events.js';
import { type Field } from '../../trackers/field-types/definition.js';

export interface Attachment {
  readonly id: number;
  readonly fieldId: number;
  /** Null for a file of which nothing is known. */
  readonly info: Pick<FileInfo, 'name' | 'mediaType' | 'description'> | null;
  /** The digest of a file in one piece is that of its bytes. */
  readonly chunks: readonly Chunk[];
  /** Whether the log records by now that the bytes were erased. */
  readonly erased: boolean;
}

/** In the order of their ids. Only events before the position count, apart from erasures. */
export async function attachmentsOf(
  slices: AsyncIterable<readonly ArtifactEvent[]>,
  fields: readonly Field[],
  log: EventReader,
  position: Position,
): Promise<readonly Attachment[]> {
  const heldBy = fields.flatMap(({ id, type }) => (type === 'file' ? [{ fieldId: id, files: new Set<number>() }] : []));
  for await (const events of slices) {
    for (const { fieldId, files } of heldBy) {
      for (const id of events.flatMap((event) => filesIn(event, fieldId))) files.add(id);
    }
  }
  const fieldOf = new Map(heldBy.flatMap(({ fieldId, files }) => [...files].map((id) => [id, fieldId] as const)));
  const attachments: Attachment[] = [];
  const turn = turnTaking();
  for (const [id, fieldId] of [...fieldOf].sort(([a], [b]) => a - b)) {
    await turn();
    attachments.push(await attachment(id, fieldId, log, position));
  }
  return attachments;
}

const filesIn = ({ data }: ArtifactEvent, fieldId: number): readonly number[] =>
  'values' in data ? numbersOf(data.values[String(fieldId)]) : [];

async function attachment(id: number, fieldId: number, log: EventReader, position: Position): Promise<Attachment> {
  const { events } = await log.read<FileEvent>(fileStream(id));
  const erased = events.some(({ type }) => type === 'FileErased');
  let info: Attachment['info'] = null;
  const chunks: Chunk[] = [];
  for (const { type, data } of events.filter((event) => event.position < position)) {
    if (type === 'FileUploadStarted') info = data;
    if (type === 'FileChunkAdded') chunks.push(data);
  }
  return { id, fieldId, info, chunks, erased };
}
