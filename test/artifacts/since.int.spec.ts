import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Answer } from '../support/client.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';
import { artifactApi, pageHeaders, refusal, type ArtifactApi } from './artifact-api.js';

const HOUR = 3600;

describe('artifacts since an instant', () => {
  let api: ArtifactApi;
  let directory: TemporaryDirectory;
  const ids: Record<'early' | 'touched' | 'late' | 'hidden' | 'limited' | 'note', number> = {
    early: 0,
    touched: 0,
    late: 0,
    hidden: 0,
    limited: 0,
    note: 0,
  };
  /** The seconds at which artifacts were created and modified, as they are shown. */
  let [first, early, late] = ['', '', ''];
  const clockIs = (seconds: number): void => {
    writeFileSync(join(directory.path, 'offset'), String(seconds));
  };

  before(async () => {
    directory = await temporaryDirectory();
    clockIs(-2 * HOUR);
    api = await artifactApi({ env: { TEST_CLOCK_OFFSET_FILE: join(directory.path, 'offset') } });
    ids.touched = await api.created();
    first = String((await api.read(ids.touched)).body.submitted_on);
    ids.early = await api.created();
    early = String((await api.read(ids.early)).body.submitted_on);
    clockIs(0);
    await api.changed(ids.touched, [api.titled('Second')]);
    late = String((await api.read(ids.touched)).body.last_modified_date);
    ids.note = await api.created([], { tracker: 'note' });
    ids.late = await api.created();
    ids.hidden = await api.created([], { tracker: 'case' });
    const admins = { value: { granted_groups: ['101_4'] } };
    ids.limited = await api.created([api.set('readers', admins)], { as: 'alice' });
  });
  after(async () => {
    await api.stop();
    await directory.remove();
  });

  const since = (search: Readonly<Record<string, string>>): string => new URLSearchParams(search).toString();
  const ofTracker = (search: Readonly<Record<string, string>>, as = 'carol') =>
    api.get(`/trackers/${api.tracker('bug')}/artifacts?${since(search)}`, { as });
  const everywhere = (search: Readonly<Record<string, string>>, as?: string) =>
    api.get(`/artifacts?${since(search)}`, as === undefined ? {} : { as });
  const idsOf = ({ status, body }: Answer): readonly number[] => {
    expect(status, JSON.stringify(body)).to.equal(200);
    const list = (body.collection ?? body) as readonly { readonly id: number }[];
    return list.map(({ id }) => id);
  };
  const after1s = (instant: string): string => new Date(Date.parse(instant) + 1000).toISOString();

  it('are found in a tracker by when they were modified, that second included', async () => {
    const page = await ofTracker({ modified_since: late });
    expect(idsOf(page)).to.deep.equal([ids.touched, ids.late]);
    expect(pageHeaders(page)).to.deep.equal([100, 0, 2, 1000]);
    const within = new Date(Date.parse(early) + 500).toISOString();
    expect(idsOf(await ofTracker({ modified_since: within }))).to.include(ids.early);
    expect(idsOf(await ofTracker({ modified_since: after1s(early) }))).not.to.include(ids.early);
    expect(idsOf(await ofTracker({ modified_since: new Date(Date.now() + HOUR * 1000).toISOString() }))).to.deep.equal(
      [],
    );
  });

  it('are found in a tracker by when they were created', async () => {
    expect(idsOf(await ofTracker({ created_since: late }))).to.deep.equal([ids.late]);
    expect(idsOf(await ofTracker({ created_since: first, order: 'desc' }))).to.deep.equal([
      ids.late,
      ids.early,
      ids.touched,
    ]);
  });

  it('meet the filter, too, and both instants', async () => {
    const query = JSON.stringify({ title: 'Second' });
    expect(idsOf(await ofTracker({ modified_since: late, query }))).to.deep.equal([ids.touched]);
    expect(idsOf(await ofTracker({ modified_since: late, created_since: late }))).to.deep.equal([ids.late]);
    const page = await ofTracker({ modified_since: late, limit: '1', offset: '1' });
    expect([idsOf(page), pageHeaders(page)]).to.deep.equal([[ids.late], [1, 1, 2, 1000]]);
  });

  it('are found in all trackers that the reader sees, by tracker and id, and no other is told of', async () => {
    const sizes = async (as?: string) => {
      const page = await everywhere({ modified_since: late }, as);
      return { ids: idsOf(page), headers: pageHeaders(page) };
    };
    const open = [ids.touched, ids.late, ids.note];
    expect(await sizes()).to.deep.equal({ ids: open, headers: [100, 0, 3, 100] });
    expect(await sizes('bob')).to.deep.equal({
      ids: [ids.touched, ids.late, ids.limited, ids.note],
      headers: [100, 0, 4, 100],
    });
    expect(await sizes('carol')).to.deep.equal({ ids: [...open, ids.hidden], headers: [100, 0, 4, 100] });
    expect(idsOf(await everywhere({ created_since: late }))).to.deep.equal([ids.late, ids.note]);
    expect((await everywhere({ modified_since: late })).body.collection[0].values_by_field.title).to.include({
      value: 'Second',
    });
  });

  it('come in full pages over the bounds of trackers', async () => {
    const all = [ids.touched, ids.late, ids.note, ids.hidden];
    for (let offset = 0; offset <= all.length; offset += 1) {
      for (const limit of [1, 2, 3]) {
        const page = await everywhere({ modified_since: late, limit: String(limit), offset: String(offset) }, 'carol');
        expect(idsOf(page), `${offset} ${limit}`).to.deep.equal(all.slice(offset, offset + limit));
        expect(pageHeaders(page)).to.deep.equal([limit, offset, 4, 100]);
      }
    }
  });

  it('lead from page to page by cursors, over the bounds of trackers', async () => {
    const all = [ids.touched, ids.late, ids.note, ids.hidden];
    for (const limit of [1, 2, 3, 4]) {
      const walked: number[] = [];
      let page = await everywhere({ modified_since: late, limit: String(limit) }, 'carol');
      for (;;) {
        expect(pageHeaders(page), String(limit)).to.deep.equal([limit, walked.length, 4, 100]);
        walked.push(...idsOf(page));
        const next = /^<(.+)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1];
        if (next === undefined) break;
        page = await everywhere(Object.fromEntries(new URL(next).searchParams), 'carol');
      }
      expect(walked).to.deep.equal(all);
    }
  });

  it('need an instant', async () => {
    for (const wrong of ['yesterday', '2026-03-05', '', '2016-12-31T23:59:60Z']) {
      expect(refusal(await ofTracker({ modified_since: wrong })), wrong).to.deep.equal({
        status: 400,
        pointers: ['modified_since'],
      });
      expect(refusal(await everywhere({ created_since: wrong })).pointers, wrong).to.deep.equal(['created_since']);
    }
  });

  it('are not asked for beside ids, and one of them is needed', async () => {
    const query = JSON.stringify({ id: [ids.late] });
    for (const search of [{ modified_since: late, query }, {}]) {
      expect(refusal(await everywhere(search))).to.deep.equal({
        status: 400,
        pointers: ['query'],
      });
    }
    expect(idsOf(await everywhere({ modified_since: late, query: '' })).length).to.equal(3);
  });
});
