import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { visibleEnds } from '../../../src/artifacts/links/validate-links.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { carryOutDeletion } from '../../../src/artifacts/deletions/commands.js';
import { measuredReadModels } from '../../support/handed-over.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { freshDeletionApi, type DeletionApi } from './deletion-api.js';

const SOURCES = 30;
const TEXT = 100_000;
/** A slice, and one artifact more. */
const AT_ONCE = 500_000;

describe('large artifacts at the other ends of links', () => {
  let api: DeletionApi;
  let target: number;
  let sources: readonly number[];
  before(async () => {
    api = await freshDeletionApi();
    await api.settings({ type: 'SetArchiving', enabled: true });
    target = await api.created();
    const values = {
      [api.field('bug', 'description')]: { text: 'x'.repeat(TEXT), format: 'text' as const },
      [api.field('bug', 'links')]: [{ id: target, type: '_is_child' }],
    };
    sources = await plantedArtifacts(
      api,
      api.tracker('bug'),
      Array.from({ length: SOURCES }, () => values),
    );
  });
  after(() => api.stopAll());

  it('are read some at a time for a write, and only what it needs of them is kept', async () => {
    const { definitions } = api.service;
    const measured = measuredReadModels(api.service.readModels);
    const held = sources.map((id) => ({ id, type: '' }));
    const artifact = { id: target, trackerId: api.tracker('bug'), values: {}, deleted: false };
    const alice = viewer(definitions, definitions.userNamed('alice') ?? null);
    const ends = await visibleEnds(
      [{ wish: {}, held, isRead: true, target: artifact }],
      { ...measured, definitions },
      alice,
    );
    expect([...ends.values()]).to.deep.equal(
      sources.map((id) => ({ id, trackerId: api.tracker('bug'), linkTypes: ['_is_child'], values: {} })),
    );
    expect(measured.most()).to.be.within(TEXT, AT_ONCE);
  });

  it('are read some at a time for the links that an archive names', async () => {
    const measured = measuredReadModels(api.service.readModels);
    const at = api.service.clock().toISOString();
    const deletion = { id: 'deleted', userId: api.user('bob'), artifactId: target, at };
    const metadata = { actor: api.user('bob'), at };
    await carryOutDeletion(deletion, { ...api.ports(), readModels: measured.readModels }, metadata);
    const { events } = await api.service.log.read<ArtifactEvent>(artifactStream(target));
    expect(events.at(-1))
      .to.have.nested.property('data.toArchive.linkedFrom')
      .that.deep.equals(sources.map((id) => ({ id, type: '_is_child' })));
    expect(measured.most()).to.be.within(TEXT, AT_ONCE);
  });
});
