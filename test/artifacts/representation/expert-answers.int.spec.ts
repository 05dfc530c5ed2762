import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { artifactApi, type ArtifactApi, type Json } from '../artifact-api.js';

const DAYS = 86_400;

describe('a page of a tracker that was given before', () => {
  let files: TemporaryDirectory;
  let clock: string;
  let api: ArtifactApi;
  let bug: number;
  before(async () => {
    files = await temporaryDirectory();
    clock = join(files.path, 'offset');
    writeFileSync(clock, '0');
    api = await artifactApi({ env: { TEST_CLOCK_OFFSET_FILE: clock } });
    bug = await api.created([], { as: 'bob' });
  });
  after(async () => {
    await api.stop();
    await files.remove();
  });

  const page = async (query: string, options = {}): Promise<readonly Json[]> => {
    const { status, body } = await api.get(`/trackers/${api.tracker('bug')}/artifacts?${query}`, options);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const expert = (text: string): string => `expert_query=${encodeURIComponent(text)}`;
  /** Checkpoints are stored some time after a write, and may end what is kept. */
  const askedOften = async (ask: () => Promise<unknown>): Promise<void> => {
    for (let n = 0; n < 6; n += 1) {
      await ask();
      await sleep(50);
    }
  };

  it('tells of links that came from another tracker meanwhile', async () => {
    const note = await api.created([], { as: 'bob', tracker: 'note' });
    const linked = () => page(expert('IS LINKED FROM'), { as: 'bob' });
    const sources = async (): Promise<readonly unknown[]> => {
      const [whole] = await page('values=all', { as: 'bob' });
      const values = whole!['values'] as readonly Json[];
      return values.flatMap(({ reverse_links: links = [] }) => (links as readonly Json[]).map(({ id }) => id));
    };
    await askedOften(linked);
    await askedOften(sources);
    expect([(await linked()).length, await sources()]).to.deep.equal([0, []]);
    await api.changed(note, [api.set('links', { links: [{ id: bug, type: '' }] }, 'note')], { as: 'bob' });
    expect([(await linked()).map(({ id }) => id), await sources()]).to.deep.equal([[bug], [note]]);
  });

  it('is kept whole, compressed, unless its query asks for the time', async () => {
    const isKeptFor = async (text: string): Promise<boolean> => {
      const headers = { 'Accept-Encoding': 'gzip' };
      const path = `/trackers/${api.tracker('bug')}/artifacts?values=all&${expert(text)}`;
      const lengths: (string | null)[] = [];
      await askedOften(async () => {
        const answer = await api.get(path, { as: 'bob', headers });
        expect(answer.status).to.equal(200);
        lengths.push(answer.headers.get('content-length'));
      });
      // What is compressed anew has no length.
      return lengths.some((length) => length !== null);
    };
    expect(await isKeptFor("submitted_on > '2020-01-01'")).to.equal(true);
    expect(await isKeptFor('submitted_on > NOW() - 1d')).to.equal(false);
  });

  it('counts its days back from now', async () => {
    const recent = () => page(expert('submitted_on > NOW() - 1d'));
    await askedOften(recent);
    expect(await recent()).to.have.length(1);
    writeFileSync(clock, String(3 * DAYS));
    expect(await recent()).to.have.length(0);
  });
});
