import { expect } from 'chai';
import { filePorts } from '../../../src/composition/http-server.js';
import { MAX_PROMISED_BYTES, MAX_RESUMABLE_UPLOADS } from '../../../src/core/bounds.js';
import { Problem } from '../../../src/core/problem.js';
import { type FilePorts } from '../../../src/files/ports.js';
import { type FileInfo } from '../../../src/files/file-events.js';
import { tusUploads, type TusUploads } from '../../../src/files/upload/tus-upload.js';
import { memoryCounters } from '../../../src/stores/memory/counters.js';
import { plantedFiles } from '../../support/planted-files.js';
import { pausingLog } from '../../support/pausing-log.js';
import { fileApi, type FileApi } from '../file-api.js';

const AT_ONCE = 8;

describe('Resumable uploads that one user announces to two processes at once', () => {
  let api: FileApi;
  beforeEach(async () => {
    api = await fileApi();
  });
  afterEach(() => api.stop());

  /** Each queue belongs to a store of blobs of its own, as in each process. */
  const processOver = (ports: FilePorts): TusUploads => tusUploads({ ...ports, blobs: { ...ports.blobs } });
  const twoProcesses = (): readonly [TusUploads, TusUploads] => {
    const ports = filePorts(api.service);
    return [processOver(ports), processOver(ports)];
  };
  const announce = (uploads: TusUploads, name: string, expected = 1): Promise<number> => {
    const by = { userId: api.user('carol'), actor: api.user('carol'), requestId: name };
    const info: FileInfo = {
      name,
      mediaType: 'text/plain',
      description: '',
      owner: by.userId,
      expected,
      fieldId: api.field('bug', 'attachments'),
    };
    return uploads.announce(info, by);
  };
  const outcome = async (announcement: Promise<number>): Promise<string> => {
    try {
      await announcement;
      return 'accepted';
    } catch (error) {
      if (error instanceof Problem) return error.kind;
      throw error;
    }
  };
  const outcomes = async (expected: number): Promise<readonly string[]> => {
    const processes = twoProcesses();
    const names = Array.from({ length: AT_ONCE }, (_, n) => `at once ${n}`);
    return (await Promise.all(names.map((name, n) => outcome(announce(processes[n % 2]!, name, expected))))).sort();
  };
  const times = (count: number, word: string): readonly string[] => Array<string>(count).fill(word);

  it('are no more than one user may have', async () => {
    await plantedFiles(api, api.user('carol'), MAX_RESUMABLE_UPLOADS - 3, { expected: 2 });
    expect(await outcomes(1)).to.deep.equal([...times(3, 'accepted'), ...times(AT_ONCE - 3, 'conflict')]);
  });

  it('promise no more bytes than one user may promise', async () => {
    await plantedFiles(api, api.user('carol'), 1, { expected: MAX_PROMISED_BYTES - 350 });
    expect(await outcomes(100)).to.deep.equal([...times(3, 'accepted'), ...times(AT_ONCE - 3, 'invalid')]);
  });

  it('are one upload if they are the same', async () => {
    const processes = twoProcesses();
    const ids = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => announce(processes[n % 2]!, 'the same')));
    expect(new Set(ids)).to.have.property('size', 1);
  });

  it('wait for a process that was killed over one for no longer than its count lasts', async () => {
    const begun = Date.now();
    let now = begun;
    const clock = () => new Date(now);
    const log = pausingLog(api.service.log);
    const ports = { ...filePorts(api.service), clock, counters: memoryCounters(clock) };
    const killed = log.pauseAt((_, [event]) => event?.type === 'FileUploadStarted');
    void announce(processOver({ ...ports, log }), 'never written');
    await killed;
    const counts: FilePorts['counters']['counts'] = async (keys) => {
      const found = await ports.counters.counts(keys);
      if (found.some(({ count }) => count > 1)) now += 30_000;
      return found;
    };
    await announce(processOver({ ...ports, counters: { ...ports.counters, counts } }), 'after it');
    expect(now, 'waited').to.be.above(begun);
  });
});
