import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { handleFile, shown } from '../../../src/files/commands.js';
import { createLogger } from '../../../src/logging/logger.js';
import { chunksOf } from '../../stores/contracts/blob-store.contract.js';
import { fileApi, type FileApi } from '../file-api.js';

describe('A file of which the store has lost the last bytes', () => {
  let api: FileApi;
  let id: number;
  let lost: string;
  let logged = '';
  /** Since the last call, each once. */
  const messages = () => {
    const lines = logged.split('\n').filter(Boolean);
    logged = '';
    const found = lines.flatMap((line) => (JSON.parse(line) as { err?: { message: string } }).err?.message ?? []);
    return [...new Set(found)];
  };
  const remedy = (missing: number, length: number) =>
    `file ${id} cannot be read; restore the blob ${lost} from a back-up: The blob ${lost} lacks ${missing} of ${length} bytes`;
  before(async () => {
    api = await fileApi({ logger: createLogger('warn', { write: (line) => (logged += line) }) });
    id = await api.uploaded('0123456789');
    const { digest } = await api.service.blobs.put(chunksOf('abcde'));
    const command = { type: 'AddChunk', chunk: { number: 2, digest, size: 10 } } as const;
    lost = digest;
    await shown((await handleFile(id, command, api.service, null)).position, api.service);
    await api.created([api.attachments(id)]);
  });
  after(() => api.stop());

  it('has no chunk that is shorter than it was', async () => {
    const read = async (query: string) => {
      const { status, body } = await api.get(`/artifact_files/${id}${query}`);
      return status === 200 ? String(Buffer.from(body.data as string, 'base64')) : status;
    };
    expect(await read('')).to.equal(500);
    expect(await read('?offset=16')).to.equal(500);
    expect(await read('?limit=15')).to.equal('0123456789abcde');
    expect(messages()).to.deep.equal([remedy(5, 10), remedy(4, 4)]);
  });

  it('is a download whose connection breaks', async () => {
    const download = await api.raw('GET', `/plugins/tracker/attachments/${id}-f`, { as: null });
    expect(download.headers.get('Content-Length')).to.equal('20');
    const outcome = await download.text().catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(TypeError);
    expect(messages()).to.deep.equal([remedy(5, 10)]);
  });

  it('is a download that is answered 500 where it begins with bytes that are lost', async () => {
    const headers = { Range: 'bytes=15-' };
    const download = await api.raw('GET', `/plugins/tracker/attachments/${id}-f`, { as: null, headers });
    expect([download.status, download.headers.get('Content-Type')]).to.deep.equal([
      500,
      'application/json; charset=utf-8',
    ]);
    expect([download.headers.get('Content-Range'), download.headers.get('Content-Disposition')]).to.deep.equal([
      null,
      null,
    ]);
  });
});

/** Any store is asked in the same way. In the directory of the embedded one a byte can be changed. */
if ((process.env['TEST_STORES'] ?? '') === '')
  describe('A file of which the store has changed a byte', () => {
    const LENGTH = 100_000;
    let api: FileApi;
    let logged = '';
    before(async () => {
      api = await fileApi({ logger: createLogger('warn', { write: (line) => (logged += line) }) });
    });
    after(() => api.stop());

    const changed = async (content: string): Promise<{ readonly id: number; readonly digest: string }> => {
      const id = await api.uploaded(content);
      await api.created([api.attachments(id)]);
      const digest = createHash('sha256').update(content).digest('hex');
      const path = join(api.directory, 'blobs', digest.slice(0, 2), digest.slice(2));
      const bytes = await readFile(path);
      bytes[7] = bytes[7]! ^ 1;
      await writeFile(path, bytes);
      return { id, digest };
    };
    const download = (id: number, headers = {}) =>
      api.raw('GET', `/plugins/tracker/attachments/${id}-f`, { as: null, headers });

    it('is answered 500, and the log names the file and the blob', async () => {
      const { id, digest } = await changed('0123456789');
      logged = '';
      expect((await download(id)).status).to.equal(500);
      expect((await api.get(`/artifact_files/${id}`)).status).to.equal(500);
      const remedy = `file ${id} cannot be read; restore the blob ${digest} from a back-up: the blob ${digest} is damaged`;
      expect(logged.split(remedy).length).to.be.greaterThan(2);
    });

    it('is a download that breaks before its end where it is longer', async () => {
      const { id } = await changed('x'.repeat(LENGTH));
      const answer = await download(id);
      expect([answer.status, answer.headers.get('Content-Length')]).to.deep.equal([200, String(LENGTH)]);
      expect(await answer.text().catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    });

    it('has ranges that are not compared, as nothing tells the digest of a part', async () => {
      const { id } = await changed('9876543210');
      expect(await (await download(id, { Range: 'bytes=0-3' })).text()).to.equal('9876');
    });
  });
