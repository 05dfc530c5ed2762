/** Fills the data directory of the kinds: the platform by its own command, all else straight into the log. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { artifactStream, type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { type EventLog, type Metadata, type StreamName, type Event } from '../../src/core/event-log.js';
import { idsStream } from '../../src/core/ids.js';
import { fileStream, type FileInfo } from '../../src/files/file-events.js';
import { applyFile } from '../../src/operations/apply-file.js';
import { operations } from '../../src/operations/operations.js';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';
import { openService, type Service } from '../../src/composition/service.js';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { openValuesStream } from '../../src/trackers/tracker-events.js';
import { userStream } from '../../src/users/user-events.js';
import { passwords, type Passwords } from '../../src/authentication/password.js';
import { FIRST_ID, READER } from '../platform.js';
import { boundsText, label, MAX_LABELS, SIGNED_OUT, textField, TEXTS } from './platform.js';
import { type Scene } from './scene.js';

export interface SeedBoundsInput {
  readonly directory: string;
}

const LINKED = 1000;
const CHANGES = 40;
const LARGE = 40;
/** As many as there are rounds, mostly. */
const DELETABLE = 5;
const TEXT_BYTES = 65_000;
const SIGN_OUTS = 999;
const UPLOAD_BYTES = 67_108_864;
const DAY_MS = 86_400_000;

export async function seedBounds({ directory }: SeedBoundsInput): Promise<Scene> {
  const names = await applied(directory);
  const log = await sqliteEventLog(directory);
  const scene = await written(log, names);
  await log.close();
  return scene;
}

type Names = Pick<Scene, 'project' | 'trackers' | 'fields' | 'users' | 'groups'> & {
  readonly signedOut: number;
  readonly reader: number;
};

async function applied(directory: string): Promise<Names> {
  const onFailed = (error: Error): never => {
    throw error;
  };
  const logger = pino({ level: 'silent' });
  const service = await openService({ dataDir: directory, clock: () => new Date(), logger, onFailed });
  await service.projections.ready;
  await applyFile(parsePlatformFile(boundsText()), operations(service, hashedOnce(passwords())));
  const names = namesIn(service);
  await service.close();
  return names;
}

/** All users have one password, and its hash takes long. */
function hashedOnce(real: Passwords): Passwords {
  let hash: Promise<string> | undefined;
  return { ...real, hash: (password) => (hash ??= real.hash(password)) };
}

function namesIn({ definitions }: Service): Names {
  const [project] = definitions.projects();
  const trackers = definitions.trackersOf(project!.id);
  const idOf = (itemName: string): number => trackers.find(({ view }) => view.itemName === itemName)!.id;
  const fields = trackers.flatMap(({ view, fields: own }) =>
    own.map(({ name, id }) => [name === 'title' || name === 'links' ? `${view.itemName}.${name}` : name, id] as const),
  );
  return {
    project: project!.id,
    trackers: { selections: idOf('selections'), opens: idOf('opens'), texts: idOf('texts') },
    fields: Object.fromEntries(fields),
    users: [...definitions.users()].map(({ id }) => id),
    groups: project!.groups.map(({ id }) => id),
    signedOut: definitions.userNamed(SIGNED_OUT)!.id,
    reader: definitions.userNamed(READER)!.id,
  };
}

async function written(log: EventLog, { signedOut, reader, ...names }: Names): Promise<Scene> {
  const { trackers, fields } = names;
  const to = FIRST_ID + 2 * LINKED + LARGE + DELETABLE + 10;
  await append(log, idsStream('artifact'), [{ type: 'IdsReserved', data: { kind: 'artifact', from: FIRST_ID, to } }]);
  let last = FIRST_ID - 1;
  const submit = async (trackerId: number, values: FieldValues): Promise<number> => {
    last += 1;
    const event: ArtifactEvent = { type: 'ArtifactSubmitted', data: { artifactId: last, trackerId, values } };
    await append(log, artifactStream(last), [event]);
    return last;
  };
  const many = async (count: number, make: (index: number) => Promise<number>): Promise<number[]> => {
    const ids: number[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await make(index));
    return ids;
  };
  const title = (itemName: string, text: string): FieldValues => ({ [fields[`${itemName}.title`]!]: text });

  const selection = await submit(trackers.selections, title('selections', 'selection'));
  const opens = await submit(trackers.opens, title('opens', 'opens'));
  const tables = await submit(trackers.texts, differentTexts(fields, tableOf(TEXT_BYTES), 'commonmark'));
  const costly = await submit(trackers.texts, {
    ...differentTexts(fields, '!['.repeat(TEXT_BYTES / 2), 'commonmark'),
    ...Object.fromEntries(COSTLY.map((value, index) => [fields[textField(index)]!, value])),
  });
  const changedOften = async (): Promise<number> => {
    const id = await submit(trackers.texts, title('texts', 'changed'));
    await changes(log, id, names);
    return id;
  };
  const changed = await changedOften();
  const deletable = await many(DELETABLE, changedOften);
  const targets = await many(LINKED, () => submit(trackers.selections, title('selections', 'target')));
  const links = targets.map((id) => ({ id, type: '' }));
  const sources = await many(LINKED, () => submit(trackers.opens, { [fields['opens.links']!]: links }));
  await many(LARGE, (index) => submit(trackers.texts, texts(fields, `${index}${'<'.repeat(TEXT_BYTES)}`, 'text')));

  const added = Array.from({ length: MAX_LABELS }, (_, index) => ({
    type: 'OpenValueAdded' as const,
    data: { fieldId: fields['added']!, trackerId: trackers.opens, number: index + 1, label: label(index) },
  }));
  for (let from = 0; from < MAX_LABELS; from += 1000) {
    await append(log, openValuesStream(fields['added']!), added.slice(from, from + 1000), from - 1);
  }
  await signOuts(log, signedOut);
  const upload = await announced(log, reader, names);
  return { ...names, selection, opens, tables, costly, changed, sources, targets, deletable, upload };
}

const metadata = (): Metadata => ({
  actor: null,
  at: new Date().toISOString(),
  schema: 1,
  commandId: randomUUID(),
});

async function append(log: EventLog, stream: StreamName, events: readonly Event[], revision = -1): Promise<void> {
  await log.append(
    stream,
    revision,
    events.map((event) => ({ ...event, id: randomUUID() })),
    metadata(),
  );
}

const texts = (fields: Names['fields'], text: string, format: 'text' | 'commonmark'): FieldValues =>
  Object.fromEntries(Array.from({ length: TEXTS - 1 }, (_, index) => [fields[textField(index)]!, { text, format }]));

const differentTexts = (fields: Names['fields'], text: string, format: 'html' | 'commonmark'): FieldValues =>
  Object.fromEntries(
    Array.from({ length: TEXTS - 1 }, (_, index) => [
      fields[textField(index)]!,
      { text: `${text.slice(0, TEXT_BYTES)}\n\n${index}`, format },
    ]),
  );

/** Links that share one long address, elements that are closed by others, lists in quotes in lists. */
const COSTLY: readonly FieldValues[string][] = [
  { text: `[a]: ${'x'.repeat(20_000)}\n\n${'[a]'.repeat(15_000)}`, format: 'commonmark' },
  { text: '<i>'.repeat(10_000) + '</p>'.repeat(8000), format: 'html' },
  { text: `${'> - '.repeat(24)}|\n`.repeat(600), format: 'commonmark' },
];

/** As many cells as so many bytes can make: each short row is filled up. */
function tableOf(bytes: number): string {
  const columns = Math.floor(bytes / 8);
  const head = `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`;
  return head + 'x\n'.repeat(Math.floor((bytes - head.length) / 2));
}

async function changes(
  log: EventLog,
  artifactId: number,
  { trackers, fields }: Omit<Names, 'signedOut' | 'reader'>,
): Promise<void> {
  for (let nth = 0; nth < CHANGES; nth += 1) {
    const values = texts(fields, `${nth}${'<'.repeat(TEXT_BYTES)}`, 'text');
    const event: ArtifactEvent = {
      type: 'ArtifactValuesChanged',
      data: { artifactId, trackerId: trackers.texts, values },
    };
    await append(log, artifactStream(artifactId), [event], nth);
  }
}

async function signOuts(log: EventLog, userId: number): Promise<void> {
  const stream = userStream(userId);
  const { revision } = await log.read(stream);
  const expiresAt = new Date(Date.now() + DAY_MS - 1000).toISOString();
  const events = Array.from({ length: SIGN_OUTS }, () => ({
    type: 'TokenRevoked' as const,
    data: { userId, tokenId: randomUUID(), expiresAt },
  }));
  await append(log, stream, events, revision);
}

async function announced(log: EventLog, owner: number, { fields }: Pick<Names, 'fields'>): Promise<number> {
  const fileId = FIRST_ID;
  await append(log, idsStream('file'), [{ type: 'IdsReserved', data: { kind: 'file', from: fileId, to: fileId } }]);
  const info: FileInfo = {
    owner,
    name: 'large',
    mediaType: 'text/plain',
    description: '',
    expected: UPLOAD_BYTES,
    fieldId: fields['files']!,
  };
  await append(log, fileStream(fileId), [{ type: 'FileUploadStarted', data: { fileId, ...info } }]);
  return fileId;
}
