import { expect } from 'chai';
import pino from 'pino';
import { readingService, type ReadingService } from '../../../src/composition/reading/reading-service.js';
import { readModelsDirectory } from '../../../src/stores/sqlite/read-models/directories.js';
import { projectViews } from '../../../src/projects/project-view.js';
import { all } from '../../../projections/all.js';
import { runService, type RunningService } from '../../support/service.js';

const platform = (label: string): string => JSON.stringify({ projects: [{ shortname: 'lab', label }] });

/** Reading processes have the embedded stores alone. */
if ((process.env['TEST_STORES'] ?? '') === '') {
  describe('the definitions of a reading process', () => {
    let main: RunningService;
    let reading: ReadingService;
    before(async () => {
      main = await runService({ platform: platform('Before') });
      const { clock } = main.service;
      reading = await readingService(readModelsDirectory(main.directory, all), clock, pino({ level: 'silent' }));
    });
    after(async () => {
      await reading.close();
      await main.stop();
    });

    const page = { where: [], direction: 'asc', limit: 1, offset: 0 } as const;
    const id = (): number => main.service.definitions.projectNamed('lab')!.id;
    const readings: Readonly<Record<string, () => Promise<unknown>>> = {
      find: () => reading.readModels.find(projectViews, page),
      findSlice: () => reading.readModels.findSlice(projectViews, page),
      findIds: () => reading.readModels.findIds(projectViews, page),
      get: () => reading.readModels.get(projectViews, id()),
      getMany: () => reading.readModels.getMany(projectViews, [id()]),
      getSlice: () => reading.readModels.getSlice(projectViews, [id()]),
    };
    for (const [name, read] of Object.entries(readings)) {
      it(`are as new as what was read by ${name}`, async () => {
        await main.operate('apply', { text: platform(name), prune: false, env: {} });
        await read();
        expect(reading.definitions.projectNamed('lab')?.label).to.equal(name);
      });
    }
  });
}
