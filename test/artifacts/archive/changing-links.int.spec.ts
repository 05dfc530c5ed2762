import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type NewEvent, type StreamName } from '../../../src/core/event-log.js';
import { interruptedArchives } from '../../../src/artifacts/deletions/recovery.js';
import { pausingLog } from '../../support/pausing-log.js';
import { resumed } from '../../support/resumed.js';
import { freshDeletionApi, type DeletionApi } from '../deletions/deletion-api.js';
import { portsOver, removeOver } from '../deletions/over-log.js';
import { at, readXml, validate } from './archive-schema.js';

describe('the archive of an artifact to which links change while it is being deleted', () => {
  let api: DeletionApi;
  before(async () => {
    api = await freshDeletionApi();
    await api.settings({ type: 'SetDeletionLimit', limit: 100 });
    await api.settings({ type: 'SetArchiving', enabled: true });
  });
  after(() => api.stopAll());

  const is = (type: string) => (_: StreamName, events: readonly NewEvent[]) =>
    events.some((event) => event.type === type);
  const linkTo = (id: number, type = '') => [api.set('links', { links: [{ id, type }] })];
  const archiveOf = (id: number): string => {
    const name = readdirSync(api.archiveDir).find((each) => each.startsWith(`deleted_artifact_${id}_`));
    return readFileSync(join(api.archiveDir, name!), 'utf8');
  };
  const reverseIn = (archive: string) =>
    at(readXml(archive), 'links/link').map(({ attributes: { direction, id, type } }) => [direction, Number(id), type]);

  /** Deletes it, with work between the links that the deletion has read and its event. */
  const deletedAmid = async (artifactId: number, work: () => Promise<unknown>): Promise<void> => {
    const log = pausingLog(api.service.log);
    const paused = log.pauseAt(is('ArtifactDeleted'));
    const answer = removeOver(log, api, { artifactId });
    const goOn = await paused;
    await work();
    goOn();
    await answer;
  };

  it('names the links that others make meanwhile, with those from before', async () => {
    const id = await api.created();
    const [before, later] = [await api.created(linkTo(id, 'fixed_in')), await api.created()];
    let last = 0;
    await deletedAmid(id, async () => {
      await api.changed(later, linkTo(id));
      last = await api.created(linkTo(id, '_is_child'));
    });
    validate(archiveOf(id));
    expect(reverseIn(archiveOf(id))).to.deep.equal([
      ['reverse', before, 'fixed_in'],
      ['reverse', later, ''],
      ['reverse', last, '_is_child'],
    ]);
  });

  it('does without the links that others remove meanwhile, and has those whose type they change', async () => {
    const id = await api.created();
    const [removed, deleted, changed] = [
      await api.created(linkTo(id)),
      await api.created(linkTo(id)),
      await api.created(linkTo(id)),
    ];
    await deletedAmid(id, async () => {
      await api.changed(removed, [api.set('links', { links: [] })]);
      await api.remove(deleted);
      await api.changed(changed, linkTo(id, 'fixed_in'));
      await api.changed(changed, [api.titled('Linked as before')]);
    });
    expect(reverseIn(archiveOf(id))).to.deep.equal([['reverse', changed, 'fixed_in']]);
  });

  it('is written again with the same bytes, whatever has become of these links since', async () => {
    const [id, source] = [await api.created(), await api.created()];
    const log = pausingLog(api.service.log);
    const [deleting, archiving] = [log.pauseAt(is('ArtifactDeleted')), log.pauseAt(is('ArtifactArchived'))];
    const answer = removeOver(log, api, { artifactId: id });
    const goOn = await deleting;
    await api.changed(source, linkTo(id));
    goOn();
    const finish = await archiving;
    const first = archiveOf(id);
    await api.changed(source, [api.set('links', { links: [] })]);
    await api.caughtUp();
    await resumed(interruptedArchives(portsOver(api.service.log, api)), new Date(Date.now() + 1000));
    expect(archiveOf(id)).to.equal(first);
    expect(reverseIn(first)).to.deep.equal([['reverse', source, '']]);
    finish();
    await answer;
  });
});
