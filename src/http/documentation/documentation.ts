/** The pages of the documentation as HTML, at the addresses of their files: links between them lead on as they are. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Context } from 'koa';
import { Problem } from '../../core/problem.js';
import { type BareRoute } from '../bare-routes.js';
import { pageOf, POLICY } from './page.js';

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.md', 'text/html; charset=utf-8'],
  ['.http', 'text/plain; charset=utf-8'],
  ['.xsd', 'application/xml; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
]);

/** `root` is the directory of the package. */
export function documentationRoutes(root: URL): readonly BareRoute<unknown>[] {
  let files: ReadonlySet<string> | undefined;
  const made = new Map<string, Buffer | string>();
  return [
    {
      path: '/documentation/*file',
      access: 'public',
      described: null,
      methods: {
        async GET({ ctx, params }) {
          const known = (files ??= await filesIn(root));
          const file = [params['file'] ?? ''].flat().join('/');
          // No path is made of what a client names: it names one of these files, or none.
          if (!known.has(file)) throw new Problem('not-found', 'The documentation has no such page');
          const content = made.get(file) ?? (await contentOf(file, root, known));
          made.set(file, content);
          send(ctx, file, content);
        },
      },
    },
  ];
}

/** Those of the package and of its folder `docs`. */
async function filesIn(root: URL): Promise<ReadonlySet<string>> {
  const own = await readdir(root);
  const docs = await readdir(new URL('docs', root), { recursive: true });
  const all = [...own.filter((name) => name.endsWith('.md')), ...docs.map((name) => `docs/${name}`)];
  return new Set(all.filter((name) => MEDIA_TYPES.has(extensionOf(name))));
}

const extensionOf = (name: string): string => /\.[a-z]+$/.exec(name)?.[0] ?? '';

async function contentOf(file: string, root: URL, known: ReadonlySet<string>): Promise<Buffer | string> {
  const bytes = await readFile(fileURLToPath(new URL(file, root)));
  return file.endsWith('.md') ? pageOf(file, bytes.toString(), known) : bytes;
}

function send(ctx: Context, file: string, content: Buffer | string): void {
  ctx.set('Content-Security-Policy', POLICY);
  ctx.type = MEDIA_TYPES.get(extensionOf(file)) ?? '';
  ctx.compress = !file.endsWith('.png');
  ctx.body = content;
}
