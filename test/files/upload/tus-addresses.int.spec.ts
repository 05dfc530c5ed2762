import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { carriesFile } from '../../../src/files/addresses.js';
import { fileApi, type FileApi } from '../file-api.js';

describe('The path of a resumable upload', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  for (const [how, written] of [
    ['as announced', (path: string) => path],
    ['with several slashes', (path: string) => `/${path.replace('tracker', '/tracker/')}`],
    ['in another case', (path: string) => path.replace('file', 'File')],
    ['behind an origin', (path: string) => `${api.url}${path}`],
    ['behind an origin and two slashes', (path: string) => `${api.url}/${path}`],
  ] as const) {
    it(`written ${how} leads to it, and may have a long body`, async () => {
      const { body } = await api.announce(5);
      const url = written(`/uploads/tracker/file/${body.id}`);
      const headers = { ...(await api.signIn('carol')), 'Tus-Resumable': '1.0.0' };
      const { hostname, port } = new URL(api.url);
      const [answer] = (await once(
        request({ hostname, port, method: 'HEAD', path: url, headers }).end(),
        'response',
      )) as [IncomingMessage];
      expect([answer.statusCode, answer.headers['upload-length'], carriesFile({ url })]).to.deep.equal([
        200,
        '5',
        true,
      ]);
    });
  }
});
