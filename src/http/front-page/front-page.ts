/** What a person or a program finds at `/`: which API this is, what runs, and where to begin. */
import { createHash } from 'node:crypto';
import { type Context } from 'koa';
import { type BareRoute } from '../bare-routes.js';
import { pageOf, STYLE, type ReadModelProgress } from './page.js';
import '../state.js';

export interface About {
  readonly version: string;
  /** Names of the servers or of the embedded engine. */
  readonly stores: readonly string[];
  readonly readModels: () => Promise<readonly ReadModelProgress[]>;
  /** Credentials that the demo platform publishes; null on any other platform. */
  readonly demo: { readonly username: string; readonly password: string } | null;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** The page has no script, loads nothing, and stands in no frame. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const RESOURCES = [
  { type: 'projects', uri: '/api/projects' },
  { type: 'explorer', uri: '/api/explorer' },
  { type: 'description', uri: '/api/openapi.json' },
  { type: 'documentation', uri: '/documentation/docs/README.md' },
  { type: 'readiness', uri: '/health/ready' },
] as const;

export function frontPage(about: About): BareRoute<unknown> {
  return {
    path: '/',
    access: 'public',
    described: null,
    methods: {
      async GET({ ctx }) {
        const readModels = await about.readModels();
        if (ctx.accepts('json', 'html') === 'html') sendPage(ctx, about, readModels);
        else ctx.body = summaryOf(about, readModels);
      },
    },
  };
}

function sendPage(ctx: Context, about: About, readModels: readonly ReadModelProgress[]): void {
  ctx.set('Content-Security-Policy', POLICY);
  ctx.type = 'html';
  ctx.body = pageOf({ ...about, readModels, origin: ctx.state.origin });
}

const summaryOf = (about: About, readModels: readonly ReadModelProgress[]): object => ({
  name: 'Tracker Ledger',
  api: 'The REST API of the trackers of Tuleap',
  version: about.version,
  stores: about.stores,
  read_models: readModels,
  resources: RESOURCES,
});
