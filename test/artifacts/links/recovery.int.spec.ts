import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { artifactStream, type ReverseLinks } from '../../../src/artifacts/artifact-events.js';
import {
  linkCommandId,
  PENDING_LINKS,
  pendingLinksViews,
  type PendingLinkView,
} from '../../../src/artifacts/links/pending-links-view.js';
import { interruptedLinks } from '../../../src/artifacts/links/recovery.js';
import { resumed } from '../../support/resumed.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('links that a crash cut off', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  /** The first half of a change that writes links from their target. */
  const ordered = async (target: number, reverseLinks: ReverseLinks, at = new Date().toISOString()): Promise<void> => {
    const { log } = api.service;
    const { revision } = await log.read(artifactStream(target));
    const data = { artifactId: target, trackerId: api.tracker('bug'), values: {}, reverseLinks };
    const metadata = { actor: api.user('carol'), at, schema: 1, commandId: randomUUID() };
    const event = { type: 'ArtifactValuesChanged', data, id: randomUUID() };
    await log.append(artifactStream(target), revision, [event], metadata);
    await projected();
  };
  const projected = async (): Promise<void> => {
    const end = await api.service.log.end();
    for (const name of [PENDING_LINKS, 'artifacts']) await api.service.readModels.caughtUp(name, end!, 30_000);
  };
  const recover = async (before = new Date(Date.now() + 1000)): Promise<number> => {
    await projected();
    const written = await resumed(interruptedLinks(api.service), before);
    await projected();
    return written;
  };
  const pending = async (): Promise<number> => {
    const page = { where: [], direction: 'asc', limit: 10, offset: 0 } as const;
    return (await api.service.readModels.find(pendingLinksViews, page)).total;
  };
  const links = (...ids: readonly number[]) => api.set('links', { links: ids.map((id) => ({ id })) });

  it('are written at their sources, once, on behalf of who asked for them', async () => {
    const [source, gone, target] = [await api.created(), await api.created(), await api.created()];
    await api.changed(gone, [links(target)]);
    await ordered(target, { add: [{ source, type: '_is_child' }], remove: [gone] });
    expect(await pending()).to.equal(2);
    expect(await recover()).to.equal(2);
    expect((await api.links(target)).reverse).to.deep.equal([`${source} _is_child`]);
    expect((await api.read(source)).body.last_update_by).to.equal(api.user('carol'));
    expect([await pending(), await recover()]).to.deep.equal([0, 0]);
  });

  it('wait while they may still be under way', async () => {
    const [source, target] = [await api.created(), await api.created()];
    await ordered(target, { add: [{ source, type: '' }], remove: [] });
    expect(await recover(new Date(Date.now() - 60_000))).to.equal(0);
    expect(await pending()).to.equal(1);
    expect(await recover()).to.equal(1);
  });

  it('are written although they were asked for while the clock was ahead', async () => {
    const [source, target] = [await api.created(), await api.created()];
    await ordered(target, { add: [{ source, type: '' }], remove: [] }, new Date(Date.now() + 3_600_000).toISOString());
    expect(await recover(new Date(Date.now() - 60_000))).to.equal(1);
    expect((await api.links(target)).reverse).to.deep.equal([`${source}`]);
  });

  it('are finished where the link is so already, although it changes later', async () => {
    const [source, target] = [await api.created(), await api.created()];
    await api.changed(source, [links(target)]);
    await ordered(target, { add: [{ source, type: '' }], remove: [] });
    expect([await recover(), await pending()]).to.deep.equal([0, 0]);
    await api.changed(source, [links()]);
    expect(await recover()).to.equal(0);
    expect((await api.links(target)).reverse).to.deep.equal([]);
  });

  it('are over and done with where the source is gone', async () => {
    const [source, target] = [await api.created(), await api.created()];
    await api.deleted(source);
    await ordered(target, { add: [{ source, type: '' }], remove: [] });
    await ordered(target, { add: [{ source: 999_999, type: '' }], remove: [] });
    expect([await recover(), await pending(), await recover()]).to.deep.equal([0, 0, 0]);
  });

  it('are not brought back when many asked for one link at once and it was removed since', async () => {
    const [source, target] = [await api.created(), await api.created()];
    const parent = api.set('links', { parent: { id: source } });
    await Promise.all(Array.from({ length: 8 }, () => api.changed(target, [parent])));
    await api.changed(source, [links()]);
    await projected();
    expect([await recover(), await pending()]).to.deep.equal([0, 0]);
    expect((await api.links(target)).reverse).to.deep.equal([]);
  });

  /** The order as a read model that is behind still lists it. */
  const order = async (target: number, source: number, type: string | null) => {
    const { events } = await api.service.log.read(artifactStream(target));
    const id = linkCommandId(events.at(-1)!.metadata.commandId, source);
    return { id, source, target, type, actor: api.user('carol'), at: events.at(-1)!.metadata.at };
  };
  /** A recovery whose read model shows these orders as pending. */
  const recoverBehind = async (...orders: readonly PendingLinkView[]): Promise<number> => {
    const { readModels } = api.service;
    const find = () => Promise.resolve({ items: orders, total: orders.length });
    const behind = { ...api.service, readModels: { ...readModels, find } };
    const written = await resumed(interruptedLinks(behind as typeof api.service), new Date(Date.now() + 1000));
    await projected();
    return written;
  };
  const eventsOf = async (id: number) => (await api.service.log.read(artifactStream(id))).events;

  it('are not written again where the source was changed since, although the read model is behind', async () => {
    const [source, target] = [await api.created(), await api.created()];
    await api.changed(target, [api.set('links', { parent: { id: source } })]);
    const done = await order(target, source, '_is_child');
    await api.changed(source, [links()]);
    expect(await recoverBehind(done)).to.equal(0);
    expect((await api.links(target)).reverse).to.deep.equal([]);
    const ids = (await eventsOf(source)).map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('are not written again where they were settled, although the read model is behind', async () => {
    const [source, target] = [await api.created(), await api.created()];
    await api.changed(source, [links(target)]);
    await ordered(target, { add: [{ source, type: '' }], remove: [] });
    const settled = await order(target, source, '');
    expect(await recover()).to.equal(0);
    await api.changed(source, [links()]);
    expect(await recoverBehind(settled)).to.equal(0);
    expect((await api.links(target)).reverse).to.deep.equal([]);
  });

  it('give way to what the user has done to the link at its source since they were asked for', async () => {
    const [source, other, target] = [await api.created(), await api.created(), await api.created()];
    await api.changed(source, [links(target)]);
    await ordered(target, { add: [{ source, type: '_is_child' }], remove: [other] });
    await api.changed(source, [links()]);
    await api.changed(other, [links(target)]);
    await api.changed(source, [api.titled('Unrelated')]);
    expect(await recover()).to.equal(0);
    expect((await api.links(target)).reverse).to.deep.equal([`${other}`]);
    expect(await pending()).to.equal(0);
  });

  it('take effect in the order in which their target asked for them', async () => {
    const [source, target] = [await api.created(), await api.created()];
    await ordered(target, { add: [{ source, type: '_is_child' }], remove: [] });
    const first = await order(target, source, '_is_child');
    await ordered(target, { add: [{ source, type: '' }], remove: [] });
    const second = await order(target, source, '');
    expect(await recoverBehind(first, second)).to.equal(2);
    expect((await api.links(target)).reverse).to.deep.equal([`${source}`]);
    await ordered(target, { add: [{ source, type: '_is_child' }], remove: [] });
    const third = await order(target, source, '_is_child');
    await ordered(target, { add: [{ source, type: 'fixed_in' }], remove: [] });
    const last = await order(target, source, 'fixed_in');
    expect(await recoverBehind(last, third)).to.equal(1);
    expect((await api.links(target)).reverse).to.deep.equal([`${source} fixed_in`]);
  });
});
