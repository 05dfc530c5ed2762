import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { archiveIn } from '../../../src/artifacts/archive/commands.js';
import { carryOutDeletion } from '../../../src/artifacts/deletions/commands.js';
import { type EventLog } from '../../../src/core/event-log.js';
import { trackerStream } from '../../../src/trackers/tracker-events.js';
import { freshDeletionApi, type DeletionApi } from '../deletions/deletion-api.js';
import { at, readXml } from './archive-schema.js';

const RENAMINGS = 1100;

describe('the archive of an artifact whose tracker was changed often', () => {
  let api: DeletionApi;
  before(async () => {
    api = await freshDeletionApi();
    await api.settings({ type: 'SetDeletionLimit', limit: 100 });
    await api.settings({ type: 'SetArchiving', enabled: true });
  });
  after(() => api.stopAll());

  const renamed = async (labels: readonly string[]): Promise<number> => {
    const trackerId = api.tracker('bug');
    const { revision } = await api.service.log.read(trackerStream(trackerId), { last: 1 });
    const events = labels.map((label) => ({
      id: randomUUID(),
      type: 'TrackerRenamed',
      data: { trackerId, label, description: '', color: 'fiesta-red' },
    }));
    const metadata = { actor: null, at: api.service.clock().toISOString(), schema: 1, commandId: randomUUID() };
    return (await api.service.log.append(trackerStream(trackerId), revision, events, metadata)).revision;
  };

  it('has the tracker as it was, and reads no stream at once', async () => {
    const id = await api.created();
    const revision = await renamed(Array.from({ length: RENAMINGS }, (_, n) => `label ${n}`));
    const by = { actor: api.user('bob'), at: api.service.clock().toISOString() };
    const deletion = { id: randomUUID(), userId: api.user('bob'), artifactId: id, at: by.at };
    await carryOutDeletion(deletion, { ...api.ports(), archive: () => Promise.resolve() }, by);
    await renamed(['after the deletion']);
    await api.caughtUp();

    const whole: string[] = [];
    const read: EventLog['read'] = (stream, part) => {
      if (part === undefined) whole.push(stream);
      return api.service.log.read(stream, part);
    };
    const directory = join(api.scratch, 'often changed');
    await archiveIn(directory, { ...api.service, ...api.ports(), log: { ...api.service.log, read } })(id);
    const archive = readXml(readFileSync(join(directory, readdirSync(directory)[0]!), 'utf8'));
    expect(at(archive, 'tracker/label')[0]?.text).to.equal(`label ${RENAMINGS - 1}`);
    expect(at(archive, 'tracker')[0]?.attributes).to.include({ revision: String(revision) });
    expect(whole).to.deep.equal([]);
  });
});
