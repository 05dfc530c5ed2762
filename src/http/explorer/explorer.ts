/** A page on which a person tries the routes of the API: Swagger UI, served from the package and from nowhere else. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context } from 'koa';
import { Problem } from '../../core/problem.js';
import { type BareRoute } from '../bare-routes.js';
import { PAGE, SCRIPT, STYLE } from './explorer-page.js';

/** Scripts and styles of this service alone. An image may stand in a style. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Asset {
  readonly type: string;
  readonly read: () => Promise<Buffer>;
}

const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const packaged = (name: string, type: string): readonly [string, Asset] => {
  let text: Buffer | undefined;
  return [name, { type, read: async () => (text ??= await readFile(join(SWAGGER_UI, name))) }];
};
const own = (name: string, type: string, text: string): readonly [string, Asset] => {
  const bytes = Buffer.from(text);
  return [name, { type, read: () => Promise.resolve(bytes) }];
};

/** Read when they are asked for first. */
const ASSETS: ReadonlyMap<string, Asset> = new Map([
  packaged('swagger-ui.css', 'text/css'),
  packaged('swagger-ui-bundle.js', 'text/javascript'),
  own('explorer.css', 'text/css', STYLE),
  own('explorer.js', 'text/javascript', SCRIPT),
]);

export const explorerRoutes: readonly BareRoute<unknown>[] = [
  {
    path: '/api{/v1}/explorer',
    access: 'public',
    described: null,
    methods: {
      GET({ ctx }) {
        send(ctx, 'text/html', PAGE);
        return Promise.resolve();
      },
    },
  },
  {
    path: '/api{/v1}/explorer/:asset',
    access: 'public',
    described: null,
    methods: {
      async GET({ ctx, params }) {
        // Clients look here to learn whether they have reached the API.
        if (params['asset'] === 'swagger.json') {
          ctx.redirect('/api/openapi.json');
          return;
        }
        const asset = ASSETS.get(params['asset'] ?? '');
        if (asset === undefined) throw new Problem('not-found', 'The explorer has no such file');
        send(ctx, asset.type, await asset.read());
      },
    },
  },
];

function send(ctx: Context, type: string, body: string | Buffer): void {
  ctx.set('Content-Security-Policy', POLICY);
  ctx.type = `${type}; charset=utf-8`;
  ctx.compress = true;
  ctx.body = body;
}
