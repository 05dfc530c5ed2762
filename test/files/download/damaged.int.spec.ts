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
