import { expect } from 'chai';
import { once } from 'node:events';
import { viewer } from '../../src/authorization/viewer.js';
import { type CompiledTracker } from '../../src/trackers/compiled-tracker.js';
import { trackerRoutes } from '../../src/trackers/routes.js';
import { eventually } from '../e2e/servers/eventually.js';
import { toyApp } from '../http/toy-app.js';
import { definitionsOf, fieldOf, listValueOf, projectOf, TRACKER_ID, trackerOf } from '../support/definitions.js';

/** Of fields of 260 KiB. */
const values = Array.from({ length: 3600 }, (_, n) => listValueOf(1000 + n));
const long = trackerOf([500, 501, 502, 503].map((id) => fieldOf(id, 'msb', { bind: 'static', values })));
const many = Array.from({ length: 50 }, (_, n) => trackerOf([], { id: 200 + n }));
const ofProject = `/api/projects/${projectOf().id}/trackers?limit=50`;

interface Case {
  readonly path: string;
  readonly trackers: readonly CompiledTracker[];
}

const CASES: Readonly<Record<string, Case>> = {
  'a tracker': { path: `/api/trackers/${TRACKER_ID}`, trackers: [long] },
  'the trackers of a project': { path: ofProject, trackers: many },
  'the minimal trackers of a project': { path: `${ofProject}&representation=minimal`, trackers: many },
};

describe('A client that leaves before its answer begins', () => {
  for (const [what, { path, trackers }] of Object.entries(CASES)) {
    it(`ends the making of ${what}`, async () => {
      const definitions = definitionsOf({ trackers });
      const reader = viewer(definitions, null);
      const leaving = new AbortController();
      const routes = trackerRoutes({ definitions }).map((each): typeof each => ({
        ...each,
        async handle(request) {
          leaving.abort();
          await once(request.ctx.res, 'close');
          await each.handle({ ...request, viewer: reader });
        },
      }));
      const toy = await toyApp({ routes: () => routes });
      try {
        await fetch(`${toy.url}${path}`, { signal: leaving.signal }).catch(() => undefined);
        await eventually('a line of the log', () => toy.lines().length > 0);
        expect(toy.lines()[0]).to.include({ level: 30, path: path.split('?')[0], status: 503 });
      } finally {
        await toy.close();
      }
    });
  }
});
