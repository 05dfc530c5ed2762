import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { interruptedReads, type InterruptedReads } from '../support/interrupted-reads.js';
import { artifactApi, type ArtifactApi } from './artifact-api.js';
import { twoProjects } from './two-projects.js';

const SECRET = 'for members only';
const RENAMED = 'renamed for members';

/** Eve may read the hidden field, but no longer the tracker. At no time may she read both. */
const narrowed = twoProjects(({ projects: [project] }) => {
  const [tracker] = project.trackers;
  project.members.push('eve');
  project.label = RENAMED;
  Object.assign(tracker!, { label: RENAMED, description: RENAMED });
  tracker!.permissions.access = ['project_admins'];
});

describe('what changes while it is read', () => {
  let api: ArtifactApi;
  let reads: InterruptedReads;
  before(async () => {
    api = await artifactApi({ platform: twoProjects() });
    reads = await interruptedReads(api);
  });
  after(async () => {
    await reads.close();
    await api.stop();
  });
  const apply = (text: string) => api.operate('apply', { text, prune: false, env: {} });

  describe('an artifact whose reader loses it while its files or links are read', () => {
    beforeEach(() => apply(twoProjects()));

    const page = (more: string) => `/trackers/${api.tracker('bug')}/artifacts?limit=1&order=desc&${more}`;
    const paths: Readonly<Record<string, readonly [path: (id: number) => string, status: number]>> = {
      'its route': [(id) => `/artifacts/${id}`, 403],
      'its route, with the whole tracker': [(id) => `/artifacts/${id}?tracker_structure_format=complete`, 403],
      'its past state': [(id) => `/artifacts/${id}?revision=0`, 403],
      'its changesets': [(id) => `/artifacts/${id}/changesets`, 403],
      'a list of ids': [(id) => `/artifacts?query=${encodeURIComponent(`{"id":[${id}]}`)}`, 200],
      'a page': [() => page('values=all'), 404],
      'a sorted page': [() => page('values=all&sort=title'), 404],
    };
    const created = async (): Promise<number> => {
      const body = { name: 'a', mimetype: 'text/plain', content: 'QUJD' };
      const file = await api.post('/artifact_temporary_files', { as: 'alice', body });
      const values = [api.set('hidden', { value: SECRET }), api.set('files', { value: [file.body.id] })];
      return api.created(values, { as: 'alice' });
    };
    for (const [what, [pathOf, status]] of Object.entries(paths)) {
      it(`is not shown, by ${what}`, async () => {
        const id = await created();
        reads.before('getMany', () => apply(narrowed));
        const answer = await reads.reader().get(pathOf(id), { as: 'eve' });
        const text = JSON.stringify(answer.body);
        expect(reads.hasCome()).to.equal(true);
        expect(text).not.to.include(SECRET);
        expect(text).not.to.include(RENAMED);
        expect(answer.status, text).to.equal(status);
      });
    }

    const closed = twoProjects(({ projects: [, other] }) => {
      const [tracker] = other.trackers;
      Object.assign(tracker!, { label: RENAMED });
      tracker!.permissions.access = ['project_admins'];
    });
    const left = twoProjects(({ projects: [, other] }) => Object.assign(other, { label: RENAMED, members: [] }));
    for (const [what, narrowing, as] of [
      ['whose tracker its reader loses', closed, 'eve'],
      ['that only a group sees, which its reader leaves', left, 'carol'],
    ] as const) {
      for (const [by, pathOf] of [
        ['its route', (id: number) => `/artifacts/${id}`],
        ['a page', () => page('values=all')],
      ] as const) {
        it(`shows no other end of a link ${what} meanwhile, by ${by}`, async () => {
          const body = { name: 'a', mimetype: 'text/plain', content: 'QUJD' };
          const file = await api.post('/artifact_temporary_files', { as: 'alice', body });
          const { projectId } = api.service.definitions.tracker(api.tracker('task'))!.view;
          const granted = as === 'carol' ? [`${projectId}_3`] : [];
          const who = api.set('who', { value: { granted_groups: granted } }, 'task');
          const end = await api.created([who], { tracker: 'task', as: 'alice' });
          const links = api.set('links', { links: [{ id: end, type: '' }] });
          const id = await api.created([links, api.set('files', { value: [file.body.id] })], { as: 'alice' });
          reads.before('getMany', async () => {
            // The links are read beside the files.
            await sleep(200);
            await apply(narrowing);
          });
          const answer = await reads.reader().get(pathOf(id), { as });
          expect(reads.hasCome()).to.equal(true);
          expect(answer.status).to.equal(200);
          expect(JSON.stringify(answer.body)).not.to.include(RENAMED);
        });
      }
    }

    it('has only those changes in its history that its reader could read when they were judged', async () => {
      const links = api.set('links', { links: [{ id: await api.created(), type: '' }] });
      const id = await api.created([links, api.set('hidden', { value: SECRET })], { as: 'alice' });
      reads.before('getSlice', () => apply(narrowed));
      const { body } = await reads.reader().get(`/artifacts/${id}/history`, { as: 'eve' });
      expect(reads.hasCome()).to.equal(true);
      const text = JSON.stringify(body);
      expect(text).to.include('"name":"title"');
      expect(text).not.to.include(SECRET);
    });
  });

  describe('a page over all trackers, of which one changes while another is searched', () => {
    const path = '/artifacts?modified_since=2000-01-01T00:00:00Z&limit=1';
    const sizeOf = (headers: Headers) => Number(headers.get('x-pagination-size'));
    const createdIn = (tracker: string) => api.created([], { tracker, as: 'alice' });
    let before = 0;
    let searches = 0;
    const beforeEachSearch = (change: () => Promise<unknown>): void => {
      reads.before('findSlice', async () => {
        searches += 1;
        beforeEachSearch(change);
        await change();
      });
    };
    const found = async () => {
      searches = 0;
      const { status, headers } = await reads.reader().get(path, { as: 'eve' });
      return { status, size: sizeOf(headers), searches };
    };
    beforeEach(async () => {
      await apply(twoProjects());
      for (const tracker of ['bug', 'task']) await createdIn(tracker);
      beforeEachSearch(() => Promise.resolve());
      before = (await found()).size;
    });

    it('counts nothing that was written after its reader had lost it', async () => {
      beforeEachSearch(async () => {
        if (searches > 1) return;
        await apply(twoProjects(({ projects: [, other] }) => (other.access = 'private')));
        await createdIn('task');
      });
      const { size, ...rest } = await found();
      expect(rest).to.deep.equal({ status: 200, searches: 1 });
      expect(size).to.be.below(before);
      expect((await found()).size).to.equal(size);
    });

    it('is found, however often another tracker changes', async () => {
      beforeEachSearch(async () => {
        if (searches % 2 === 0) return;
        const label = `Tasks of search ${searches}`;
        await apply(twoProjects(({ projects: [, other] }) => (other.trackers[0]!.label = label)));
      });
      expect(await found()).to.deep.equal({ status: 200, size: before, searches: 2 });
    });
  });
});
