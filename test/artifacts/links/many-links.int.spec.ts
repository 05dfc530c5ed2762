import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { parentIds, usedLinkTypes } from '../../../src/artifacts/links/tracker-links.js';
import { artifactsOf } from '../../../src/artifacts/queries.js';
import { type Reading } from '../../../src/artifacts/representation/reading.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { ClientLeft } from '../../../src/http/gone.js';
import { collectGarbage } from '../../support/garbage.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const AT_ONCE = 4;
const REQUESTS = 3 * AT_ONCE;
/** Of more than one slice. */
const TARGETS = 240;
const TARGET_SLICES = 2;
/** Of several slices. Each has more links than a request holds without a turn. */
const SOURCES = 220;

/** What asks in turns is above any store. How many ask side by side on a busy one is a matter of time. */
if ((process.env['TEST_STORES'] ?? '') === '')
  describe('many links of slices of artifacts', () => {
    let api: ArtifactApi;
    let sources: readonly number[];
    before(async () => {
      api = await artifactApi({ platform: plainPlatform([]) });
      const targets = await plantedArtifacts(
        api,
        api.tracker('bug'),
        Array.from({ length: TARGETS }, () => ({})),
      );
      const links = { [String(api.field('bug', 'links'))]: targets.map((id) => ({ id, type: '_is_child' })) };
      sources = await plantedArtifacts(
        api,
        api.tracker('bug'),
        Array.from({ length: SOURCES }, () => links),
      );
    });
    after(() => api.stop());

    const tracker = () => api.service.definitions.tracker(api.tracker('bug'))!;
    const expert = async (text: string, reading: Reading): Promise<number> => {
      const page = { since: {}, direction: 'asc', limit: 0, offset: 0, expert: { text, now: new Date() } } as const;
      return (await artifactsOf(tracker(), page, reading)).total;
    };

    /** What as many requests read at once. `amid` is awaited between slices of targets. */
    const requests = async <T>(
      ask: (reading: Reading) => Promise<T>,
      amid: (slicesOfSources: readonly WeakRef<object>[]) => Promise<void> = () => Promise.resolve(),
    ) => {
      const { readModels, definitions } = api.service;
      const holding = new Set<number>();
      const slices: WeakRef<object>[] = [];
      let [most, targetSlices] = [0, 0];
      const answer = async (request: number): Promise<T> => {
        const getSlice: ReadModels['getSlice'] = async (model, ids, sees) => {
          const slice = await readModels.getSlice(model, ids, sees);
          const areTargets = !slice.items.some(({ id }) => sources.includes(Number(id)));
          if (areTargets) targetSlices += 1;
          if (!areTargets) slices.push(new WeakRef(slice.items));
          else if (slice.rest.length === 0) holding.delete(request);
          else {
            holding.add(request);
            most = Math.max(most, holding.size);
            await amid(slices);
          }
          return slice;
        };
        return ask({ readModels: { ...readModels, getSlice }, definitions, viewer: viewer(definitions, null) });
      };
      const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, request) => answer(request)));
      return { answers, most, targetSlices };
    };
    const same = <T>(answer: T): readonly T[] => Array.from({ length: REQUESTS }, () => answer);

    it('are held for few expert queries at once', async () => {
      const { answers, most } = await requests((reading) => expert('WITH CHILD', reading));
      expect(answers).to.deep.equal(same(SOURCES));
      expect(most).to.be.within(2, AT_ONCE);
    });

    it('are held until all targets are known, each of which is read once', async () => {
      const { targetSlices } = await requests((reading) => expert('WITH CHILD', reading));
      expect(targetSlices).to.equal(REQUESTS * TARGET_SLICES);
    });

    it('are held for few lists of link types in use at once', async () => {
      const { answers, most } = await requests((reading) => usedLinkTypes(tracker(), reading));
      expect(answers).to.deep.equal(same([{ shortname: '_is_child', forward_label: 'Child' }]));
      expect(most).to.be.within(2, AT_ONCE);
    });

    it('are held for few lists of parents at once', async () => {
      const { answers, most } = await requests((reading) => parentIds(tracker(), reading));
      expect(answers).to.deep.equal(same([...sources].reverse()));
      expect(most).to.be.within(2, AT_ONCE);
    });

    it('are not held by those who wait', async () => {
      let held = 0;
      await requests(
        (reading) => expert('WITH CHILD', reading),
        async (slices) => {
          await collectGarbage();
          held = Math.max(held, slices.filter((slice) => slice.deref() !== undefined).length);
        },
      );
      expect(held).to.be.at.most(AT_ONCE);
    });

    it('are waited for until the client has left', async () => {
      const gone = new AbortController();
      let ends = 0;
      const ask = async (reading: Reading): Promise<unknown> => {
        const failure = await expert('WITH CHILD', { ...reading, gone: gone.signal }).catch((error: unknown) => error);
        ends += 1;
        return failure;
      };
      let ended = 0;
      const { answers } = await requests(ask, async () => {
        gone.abort(new ClientLeft());
        await pause(200);
        ended = Math.max(ended, ends);
      });
      for (const answer of answers) expect(answer).to.be.instanceOf(ClientLeft);
      expect(ended).to.be.at.least(REQUESTS - AT_ONCE);
    });

    it('do not let a query wait that has few', async () => {
      const [source] = sources;
      const { answers, most } = await requests((reading) => expert(`WITH PARENT ARTIFACT = ${source}`, reading));
      expect(answers).to.deep.equal(same(TARGETS));
      expect(most).to.be.above(AT_ONCE);
    });
  });
