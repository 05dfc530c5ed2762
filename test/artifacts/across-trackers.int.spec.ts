import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { type ReadModels } from '../../src/core/read-models.js';
import { artifactsAcross } from '../../src/artifacts/search/artifacts-across.js';
import { type Reading } from '../../src/artifacts/representation/reading.js';
import { ClientLeft } from '../../src/http/gone.js';
import { runService, type RunningService } from '../support/service.js';
import { turnsOf } from '../support/turns.js';
import { plainPlatform } from './plain-platform.js';

const TRACKERS = 10;
/** Longer than what goes on in one turn of the event loop: two begin in one. */
const LOOK_MS = 5;
const PAGE = { limit: 10, offset: 0 };
const SINCE = { modified_since: '2026-01-01T00:00:00Z' };

function manyTrackers(): string {
  const { users, projects } = JSON.parse(plainPlatform([])) as {
    users: unknown;
    projects: [{ trackers: [object] }];
  };
  const [project] = projects;
  const [tracker] = project.trackers;
  const trackers = Array.from({ length: TRACKERS }, (_, n) => ({ ...tracker, item_name: `t${n}`, label: `T${n}` }));
  return JSON.stringify({ users, projects: [{ ...project, trackers }] });
}

describe('a page over all trackers', () => {
  let api: RunningService;
  let looks: number;
  before(async () => {
    api = await runService({ platform: manyTrackers() });
  });
  beforeEach(() => (looks = 0));
  after(() => api.stop());

  /** Each tracker takes long to look at. */
  const reading = (gone?: AbortSignal): Reading => {
    const { definitions, readModels } = api.service;
    const findSlice: ReadModels['findSlice'] = (...asked) => {
      looks += 1;
      for (const began = performance.now(); performance.now() - began < LOOK_MS;);
      return readModels.findSlice(...asked);
    };
    return {
      definitions,
      readModels: { ...readModels, findSlice },
      viewer: viewer(definitions, definitions.userNamed('alice') ?? null),
      ...(gone && { gone }),
    };
  };

  it('lets others have their turn between the trackers', async () => {
    expect(await turnsOf(() => artifactsAcross(SINCE, PAGE, reading()))).to.be.at.least(TRACKERS / 2 - 1);
    expect(looks).to.equal(TRACKERS);
  });

  it('asks no further tracker once its client has left', async () => {
    const left = await artifactsAcross(SINCE, PAGE, reading(AbortSignal.abort(new ClientLeft()))).catch(
      (error: unknown) => error,
    );
    expect(left).to.be.instanceOf(ClientLeft);
    expect(looks).to.equal(0);
  });
});
