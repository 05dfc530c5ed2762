import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { client, type Client } from '../../support/client.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('an answer that is asked for again', () => {
  let api: ArtifactApi;
  let counting: Listening;
  let reader: Client;
  let reads: number;
  before(async () => {
    api = await artifactApi();
    counting = await serve({
      ...api.serving,
      service: { ...api.service, readModels: counted(api.service.readModels) },
    });
    reader = client(`http://127.0.0.1:${counting.port}`);
  });
  after(async () => {
    await counting.close(1000);
    await api.stop();
  });

  /** The same, whose documents are counted when they are read. */
  function counted(readModels: ReadModels): ReadModels {
    const read = <T>(result: T): T => {
      reads += 1;
      return result;
    };
    return {
      ...readModels,
      get: (...asked) => read(readModels.get(...asked)),
      getMany: (...asked) => read(readModels.getMany(...asked)),
      getSlice: (...asked) => read(readModels.getSlice(...asked)),
      findSlice: (...asked) => read(readModels.findSlice(...asked)),
      findIds: (...asked) => read(readModels.findIds(...asked)),
    };
  }
  const readsFor = async (path: string): Promise<number> => {
    reads = 0;
    expect((await reader.get(path, { as: 'bob' })).status).to.equal(200);
    return reads;
  };
  /** Checkpoints are stored some time after a write, and may end what SQLite keeps. */
  const isKept = async (path: string): Promise<boolean> => {
    for (let tries = 0; tries < 10; tries += 1) {
      if ((await readsFor(path)) === 0) return true;
      await sleep(50);
    }
    return false;
  };

  it('takes no document from the read models until one has changed', async () => {
    const id = await api.created([api.set('title', { value: 'Crash' })], { as: 'bob' });
    const paths = [`/artifacts/${id}`, `/trackers/${api.tracker('bug')}/artifacts?values=all`];
    const title = api.set('title', { value: 'Crash again' });
    for (const change of [undefined, () => api.changed(id, [title], { as: 'bob' })]) {
      await change?.();
      for (const path of paths) {
        expect(await readsFor(path), path).to.be.above(0);
        expect(await isKept(path), path).to.equal(true);
      }
    }
  });

  it('takes nothing for a page of a tracker after changes of others', async () => {
    const pathOf = (tracker: string) => `/trackers/${api.tracker(tracker)}/artifacts?limit=7`;
    const id = await api.created([], { as: 'bob' });
    const note = await api.created([], { as: 'bob', tracker: 'note' });
    for (const tracker of ['bug', 'note']) {
      await readsFor(pathOf(tracker));
      expect(await isKept(pathOf(tracker)), tracker).to.equal(true);
    }
    // A checkpoint that is stored just then ends what is kept.
    let reads = 1;
    for (let tries = 0; reads > 0 && tries < 5; tries += 1) {
      await api.changed(note, [api.titled(`Another ${tries}`, 'note')], { as: 'bob' });
      reads = await readsFor(pathOf('bug'));
      expect(await readsFor(pathOf('note'))).to.be.above(0);
    }
    expect(reads).to.equal(0);
    await api.changed(id, [api.titled('Another')], { as: 'bob' });
    expect(await readsFor(pathOf('bug'))).to.be.above(0);
  });
});
