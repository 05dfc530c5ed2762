import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { linksAtDeletion } from '../../../src/artifacts/archive/links-at-deletion.js';
import { type DeletedArtifact } from '../../../src/artifacts/archive/archive-document.js';
import { artifactStream, type ArtifactEvent, type ToArchive } from '../../../src/artifacts/artifact-events.js';
import { deletionsStream, type DeletionEvent } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { MAX_ARCHIVED_LINKS } from '../../../src/core/bounds.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const TARGET = 7;
const USER = 115;
const DELETION = 'the deletion';
/** The count is the first of so many that are looked at. */
const SINCE = 9;

describe('the links to an artifact at its deletion', () => {
  let directory: TemporaryDirectory;
  let log: Awaited<ReturnType<typeof sqliteEventLog>>;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
  });
  afterEach(async () => {
    await log.close();
    await directory.remove();
  });

  const append = async (stream: StreamName, event: ArtifactEvent | DeletionEvent, commandId: string = randomUUID()) => {
    const { revision } = await log.read(stream, { last: 1 });
    const metadata = { actor: USER, at: '2026-03-01T12:00:00.000Z', schema: 1, commandId };
    return log.append(stream, revision, [{ ...event, id: randomUUID() }], metadata);
  };
  const counted = (deletionId: string) =>
    append(deletionsStream(USER), {
      type: 'DeletionCounted',
      data: { userId: USER, artifactId: TARGET, deletionId, at: '2026-03-01T12:00:00.000Z' },
    });
  const links = (artifactId: number, ...targets: readonly number[]) =>
    append(artifactStream(artifactId), {
      type: 'ArtifactSubmitted',
      data: { artifactId, trackerId: 101, values: { '5': targets.map((id) => ({ id, type: '' })) } },
    });
  const linksAfter = async (toArchive: ToArchive): Promise<ToArchive> => {
    const data = { artifactId: TARGET, trackerId: 101, toArchive };
    await append(artifactStream(TARGET), { type: 'ArtifactDeleted', data }, DELETION);
    const { events } = await log.read(artifactStream(TARGET));
    return linksAtDeletion(events.at(-1) as DeletedArtifact['deleted'], log);
  };
  const from = (...ids: readonly number[]) => ids.map((id) => ({ id, type: '' }));

  it('are found although the deletion was interrupted, and its user has deleted others since', async () => {
    await counted(DELETION);
    await links(30, TARGET);
    await links(31, 8);
    for (let count = 0; count < SINCE; count += 1) await counted(`${count}`);
    expect(await linksAfter({ linkedFrom: from(20) })).to.deep.equal({ linkedFrom: from(20, 30) });
  });

  it('are those that the event names where others were counted since the deletion', async () => {
    await counted(DELETION);
    await links(30, TARGET);
    for (let count = 0; count <= SINCE; count += 1) await counted(`${count}`);
    expect(await linksAfter({ linkedFrom: from(20) })).to.deep.equal({ linkedFrom: from(20) });
  });

  it('are bounded, and their sources counted, if they have become too many meanwhile', async () => {
    const most = Array.from({ length: MAX_ARCHIVED_LINKS }, (_, index) => index + 100);
    await counted(DELETION);
    await links(30, TARGET);
    expect(await linksAfter({ linkedFrom: from(...most) })).to.deep.equal({
      linkedFrom: from(30, ...most.slice(0, -1)),
      linkedFromTotal: MAX_ARCHIVED_LINKS + 1,
    });
  });

  it('stay those of the lowest ids, if they were too many before', async () => {
    const named = Array.from({ length: MAX_ARCHIVED_LINKS }, (_, index) => index + 100);
    await counted(DELETION);
    await links(100, 8);
    await links(1_000_000, TARGET);
    expect(await linksAfter({ linkedFrom: from(...named), linkedFromTotal: 9000 })).to.deep.equal({
      linkedFrom: from(...named.slice(1)),
      linkedFromTotal: 9000,
    });
  });
});
