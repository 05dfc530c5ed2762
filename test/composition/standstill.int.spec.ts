import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { steadyClock } from '../../src/core/clock.js';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { holdReadModels } from '../support/held-read-models.js';
import { runService, type RunningService } from '../support/service.js';

/** On servers, the worker's reports and the end of the log tell it. */
if ((process.env['TEST_STORES'] ?? '') === '')
  describe('a projection that waits for another writer of the read models', () => {
    let service: RunningService;
    before(async () => {
      service = await runService();
    });
    after(() => service.stop());

    const written = async (value: string): Promise<void> => {
      const body = {
        tracker: { id: service.tracker('bug') },
        values: [{ field_id: service.field('bug', 'title'), value }],
      };
      expect((await service.post('/artifacts', { as: 'bob', body })).status).to.equal(201);
    };
    const since = (): readonly number[] =>
      service.service
        .unhealthy()
        .filter(({ projection }) => projection === ARTIFACTS)
        .map((each) => each.since.getTime());

    it('is held up since it stands behind the log, not only since SQLite has refused its commit, until it goes on', async () => {
      const holder = holdReadModels(service.directory);
      const begun = steadyClock().getTime();
      try {
        await written('One');
        while (since().length === 0 || since()[0]! - begun > 3000) await pause(50);
      } finally {
        holder.exec('ROLLBACK');
        holder.close();
      }
      while (since().length > 0) await pause(50);
      await written('Two');
      await pause(1000);
      expect(since()).to.deep.equal([]);
    });
  });
