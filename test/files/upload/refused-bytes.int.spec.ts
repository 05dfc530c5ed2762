import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { type EventLog, type NewEvent, type StreamName } from '../../../src/core/event-log.js';
import { Problem, temporarilyUnavailable } from '../../../src/core/problem.js';
import { filePorts } from '../../../src/composition/http-server.js';
import { fileById, handleFile, shown } from '../../../src/files/commands.js';
import { type FilePorts } from '../../../src/files/ports.js';
import { tusUploads } from '../../../src/files/upload/tus-upload.js';
import { continueUpload, discardUpload } from '../../../src/files/upload/uploads.js';
import { sha256 } from '../../stores/contracts/blob-store.contract.js';
import { pausingLog } from '../../support/pausing-log.js';
import { base64, fileApi, type FileApi } from '../file-api.js';

describe('A file that another process changes', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  /** What another process has: its requests queue on their own. */
  const processOn = (log: EventLog): FilePorts => {
    const ports = filePorts(api.service);
    return { ...ports, log, blobs: { ...ports.blobs } };
  };
  const by = () => ({ userId: api.user('carol'), actor: api.user('carol'), requestId: 'another' });
  const appends = (type: string) => (_: StreamName, events: readonly NewEvent[]) =>
    events.some((event) => event.type === type);
  const kindOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => (error instanceof Problem ? error.kind : error),
    );
  const isStored = (content: string) => api.service.blobs.exists(sha256(content));
  const announced = async (): Promise<number> => (await api.announce(36, { name: randomUUID() })).body.id as number;
  const receive = (id: number, content: string, ports: FilePorts) => {
    const source = Readable.from([Buffer.from(content)]);
    return tusUploads(ports).receive(id, { offset: 0, source, stillAllowed: () => Promise.resolve() }, by());
  };
  const add = (id: number, content: string, ports: FilePorts) =>
    continueUpload(id, { number: 2, content: base64(content) }, ports, by());

  for (const [what, start, send, refusal] of [
    ['a resumable upload', announced, receive, 'conflict'],
    ['a temporary file', () => api.uploaded(), add, 'invalid'],
  ] as const) {
    describe(`while it takes bytes of ${what}`, () => {
      /** The bytes lose against those of another process. */
      const overtaken = async (content: string, given: Partial<FilePorts['blobs']> = {}) => {
        const log = pausingLog(api.service.log);
        const id = await start();
        const winner = randomUUID();
        const paused = log.pauseAt(appends('FileChunkAdded'));
        const ports = processOn(log);
        const outcome = kindOf(send(id, content, { ...ports, blobs: { ...ports.blobs, ...given } }));
        const goOn = await paused;
        await send(id, winner, processOn(api.service.log));
        goOn();
        expect(await outcome).to.equal(refusal);
        expect(await isStored(winner)).to.equal(true);
      };

      it('leaves no bytes whose event is refused', async () => {
        const content = randomUUID();
        await overtaken(content);
        expect(await isStored(content)).to.equal(false);
      });

      it('answers the refusal also if the bytes cannot be removed', async () => {
        const content = randomUUID();
        await overtaken(content, { delete: () => Promise.reject(new Error('the directory is away')) });
        expect(await isStored(content)).to.equal(true);
      });

      it('leaves bytes whose event is refused if another file has them', async () => {
        const content = randomUUID();
        const other = await api.uploaded(content);
        await overtaken(content);
        expect(String(await api.content(other))).to.equal(content);
      });

      it('leaves bytes of which it is not known whether their event is stored', async () => {
        const [id, content] = [await start(), randomUUID()];
        const { log } = api.service;
        const silent: EventLog = { ...pausingLog(log), append: () => Promise.reject(temporarilyUnavailable('silent')) };
        expect(await kindOf(send(id, content, processOn(silent)))).to.equal('unavailable');
        expect(await isStored(content)).to.equal(true);
      });
    });
  }

  for (const [what, start, discard] of [
    ['a resumable upload', announced, (id: number, ports: FilePorts) => tusUploads(ports).discard(id, by())],
    ['a temporary file', () => api.uploaded(), (id: number, ports: FilePorts) => discardUpload(id, ports, by())],
  ] as const) {
    describe(`while ${what} is discarded`, () => {
      const discarded = async (meanwhile: (id: number) => Promise<unknown>) => {
        const id = await start();
        if (what === 'a resumable upload') await receive(id, randomUUID(), processOn(api.service.log));
        const log = pausingLog(api.service.log);
        const paused = log.pauseAt(appends('FileDiscarded'));
        const outcome = kindOf(discard(id, processOn(log)));
        const goOn = await paused;
        await meanwhile(id);
        goOn();
        return { id, outcome: await outcome };
      };
      const status = async (id: number) => (await fileById(id, api.service))?.status;

      it('is not found if it was attached before', async () => {
        const { id, outcome } = await discarded((file) => api.created([api.attachments(file)]));
        expect([outcome, await status(id)]).to.deep.equal(['not-found', 'kept']);
      });

      it('is gone if it was discarded before', async () => {
        const { id, outcome } = await discarded(async (file) =>
          shown((await handleFile(file, { type: 'DiscardFile' }, api.service, null)).position, api.service),
        );
        expect([outcome, await status(id)]).to.deep.equal([undefined, 'discarded']);
      });
    });
  }
});
