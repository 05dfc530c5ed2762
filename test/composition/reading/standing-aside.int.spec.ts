/** Reading processes leave every request to the main process while the read models do not show an acknowledged write. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { type Position } from '../../../src/core/event-log.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { runService, type RunningService } from '../../support/service.js';

/** Servers have no reading processes. */
if ((process.env['TEST_STORES'] ?? '') === '')
  describe('a write that the read models do not show in time', () => {
    let service: RunningService;
    const lines: Record<string, unknown>[] = [];
    const logged = async (msg: string, count = 1): Promise<void> => {
      while (lines.filter((line) => line['msg'] === msg).length < count) await pause(10);
    };
    before(async () => {
      const write = (line: string): unknown => lines.push(JSON.parse(line) as Record<string, unknown>);
      service = await runService({ env: { WORKERS: '1' }, logger: pino({ level: 'info' }, { write }) });
      await logged('reading process ready');
    });
    after(() => service.stop());

    /** Lines of the other process are not among these. */
    const isAnsweredByMain = async (): Promise<boolean> => {
      lines.length = 0;
      // A connection may have been opened before there was a reading process.
      for (let nth = 0; nth < 2; nth += 1) {
        expect((await service.get('/projects', { headers: { Connection: 'close' } })).status).to.equal(200);
      }
      return lines.filter(({ msg }) => msg === 'request').length === 2;
    };

    it('has all requests answered by the main process until it is shown', async () => {
      expect(await isAnsweredByMain()).to.equal(false);
      const { log, readModels } = service.service;
      const end = (await log.end())!;
      const next = String(Number(end) + 1).padStart(end.length, '0') as Position;
      expect(await readModels.caughtUp(ARTIFACTS, next, 20)).to.equal(false);
      expect(await isAnsweredByMain()).to.equal(true);

      const body = {
        tracker: { id: service.tracker('bug') },
        values: [{ field_id: service.field('bug', 'title'), value: 'shown' }],
      };
      expect((await service.post('/artifacts', { as: 'bob', body })).status).to.equal(201);
      await logged('reading processes answer again');
      await pause(50);
      expect(await isAnsweredByMain()).to.equal(false);
    });
  });
