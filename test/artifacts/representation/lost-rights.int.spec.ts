import { expect } from 'chai';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const note = (more = {}): string => plainPlatform([{ name: 'note', label: 'Note', type: 'string', ...more }]);

describe('a field that a reader was shown', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi({ platform: note() });
  });
  after(() => api.stop());

  it('is on no page of whole artifacts once the reader lost the right to it', async () => {
    await api.created([api.set('note', { value: 'x' })]);
    const labels = async (): Promise<readonly string[]> => {
      const page = await api.get(`/trackers/${api.tracker('bug')}/artifacts?values=all`, { as: 'carol' });
      return page.body[0].values.map(({ label }: { readonly label: string }) => label);
    };
    expect(await labels()).to.include('Note');
    await api.operate('apply', { text: note({ permissions: { read: [] } }), prune: false, env: {} });
    expect(await labels())
      .to.include('Title')
      .and.not.to.include('Note');
  });
});
