import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { serve } from '../../../src/composition/http-server.js';
import { client } from '../../support/client.js';
import { artifactApi, pageHeaders, type ArtifactApi, type Json } from '../../artifacts/artifact-api.js';

const PLATFORM = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8');
const ROUNDS = 6;
/** Not on servers, and not with reading processes. */
const ANSWERS_EARLY = ['TEST_STORES', 'TEST_WORKERS'].every((name) => (process.env[name] ?? '') === '');

describe('what is read after a write of one client', () => {
  let api: ArtifactApi;
  before(async () => {
    // One deletion in each round.
    const platform = PLATFORM.replace(/(artifact_deletion_limit:) \d+/, `$1 ${ROUNDS}`);
    api = await artifactApi({ platform });
  });
  after(() => api.stop());

  const links = (...ids: readonly number[]) => api.set('links', { links: ids.map((id) => ({ id })) });
  const ids = (list: readonly Json[]) => list.map(({ id }) => id);
  const total = async (path: string): Promise<number> => pageHeaders(await api.get(path, { as: 'carol' }))[2]!;
  const bugs = () => `/trackers/${api.tracker('bug')}/artifacts`;

  /** Each sees the artifact at the first asking, or what has changed in it. */
  const READINGS: Readonly<Record<string, (id: number, before: number) => Promise<unknown>>> = {
    'the artifact': async (id) => expect((await api.read(id)).status).to.equal(200),
    'its title': async (id) => {
      expect((await api.shown(id, 'title'))?.['value']).to.equal('Crash');
      await api.changed(id, [api.titled('Changed')]);
      expect((await api.shown(id, 'title'))?.['value']).to.equal('Changed');
    },
    'its tag': async (id) => {
      const tag = await api.etag(id);
      const changed = await api.changed(id, [api.titled('Changed')]);
      const read = await api.get(`/artifacts/${id}`, { as: 'alice', headers: { 'If-None-Match': tag } });
      expect([read.status, read.headers.get('etag')]).to.deep.equal([200, changed]);
    },
    'the number of artifacts': async (_, before) => expect(await total(`${bugs()}?limit=1`)).to.equal(before + 1),
    'a page': async (id) => {
      const { body } = await api.get(`${bugs()}?limit=1&order=desc`, { as: 'carol' });
      expect(ids(body)).to.deep.equal([id]);
    },
    'a page that was asked for before': async () => {
      const path = `${bugs()}?limit=1&order=desc`;
      await api.get(path, { as: 'carol' });
      const next = await api.created();
      expect(ids((await api.get(path, { as: 'carol' })).body)).to.deep.equal([next]);
    },
    'artifacts by their ids': async (id) => {
      const query = encodeURIComponent(JSON.stringify({ id: [id] }));
      expect(ids((await api.get(`/artifacts?query=${query}`, { as: 'carol' })).body.collection)).to.deep.equal([id]);
    },
    'an expert query': async (id) => {
      await api.changed(id, [api.titled(`Number ${id}`)]);
      const query = encodeURIComponent(`title = "Number ${id}"`);
      expect(await total(`${bugs()}?expert_query=${query}`)).to.equal(1);
    },
    'its history': async (id) => expect(await total(`/artifacts/${id}/changesets`)).to.equal(1),
    'links to it': async (id) => {
      const source = await api.created([links(id)]);
      expect(await api.links(id)).to.deep.equal({ forward: [], reverse: [`${source}`] });
    },
    'an artifact that is linked to another one': async (id) => {
      expect((await api.links(id)).reverse).to.deep.equal([]);
      const source = await api.created();
      await api.changed(source, [links(id)]);
      expect((await api.links(id)).reverse).to.deep.equal([`${source}`]);
    },
    'an artifact that takes its title': async (id) => {
      const body = { tracker: { id: api.tracker('bug') }, from_artifact: { id } };
      expect((await api.post('/artifacts', { as: 'carol', body })).status).to.equal(201);
    },
    'that it is gone': async (id) => {
      expect((await api.request('DELETE', `/artifacts/${id}`, { as: 'alice' })).status).to.equal(200);
      expect((await api.read(id)).status).to.equal(404);
    },
  };

  for (const [what, read] of Object.entries(READINGS)) {
    it(`is ${what}`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await total(`${bugs()}?limit=1`);
        await read(await api.created(), before);
      }
    });
  }

  it('is all that was written while nobody has waited for a while', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await total(`${bugs()}?limit=1`);
      await pause(110);
      for (let n = 0; n < 2 + round; n += 1) await api.created();
      expect(await total(`${bugs()}?limit=1`)).to.equal(before + 2 + round);
    }
  });

  if (ANSWERS_EARLY) {
    it('waits for the write, and a change without an event for what it changes nothing of', async () => {
      const early = api.service.early!;
      const answered: (readonly string[])[] = [];
      const answer: typeof early.answer = (streams, show) => {
        answered.push(streams);
        return early.answer(streams, show);
      };
      const listening = await serve({ ...api.serving, service: { ...api.service, early: { ...early, answer } } });
      const id = await api.created();
      const writer = client(`http://127.0.0.1:${listening.port}`);
      for (const value of ['Crash', 'Changed', 'Changed']) {
        const { status } = await writer.put(`/artifacts/${id}`, { as: 'carol', body: { values: [api.titled(value)] } });
        expect(status).to.equal(200);
      }
      expect(answered).to.deep.equal([[`artifact-${id}`]]);
      await listening.close(1000);
    });

    /** As on a machine that is not busy. */
    const prompt = async ({ early }: typeof api.service): Promise<void> => {
      for (let n = 0; n < 20; n += 1) await early?.writing(() => early.answer([], () => Promise.resolve()));
    };

    it('is shown at once if somebody waits, however long the projections would pause', async () => {
      const { log, pace, readModels } = api.service;
      pace?.hurry();
      await prompt(api.service);
      await pause(110);
      expect(pace?.ease(600_000)).to.equal(true);
      await api.created();
      const end = await log.end();
      expect(await readModels.caughtUp('artifacts', end!)).to.equal(true);
    });

    it('may be waited for by the reader in place of the writer', async () => {
      let ahead = 0;
      const early = api.service.early!;
      for (let round = 0; round < 100 && ahead === 0; round += 1) {
        await prompt(api.service);
        await api.created();
        if (early.shown() !== undefined) ahead += 1;
      }
      expect(ahead).to.be.greaterThan(0);
    });
  }
});
