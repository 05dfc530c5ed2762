import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { DOCUMENTS, documentText } from '../support/shell-blocks.js';

const ROOT = new URL('../../', import.meta.url);
const RECORDS = readdirSync(new URL('docs/decisions', ROOT)).map((name) => `docs/decisions/${name}`);
const PATHS = /(?<![\w./-])(?:src|projections|test|bench|deploy|docs)\/[\w./*-]*\w/g;
/** Of each installation its own: deploy/make-secrets.sh makes them. */
const SECRETS = /^deploy\/secrets\//;

const namedIn = (text: string): readonly string[] => [...text.matchAll(PATHS)].map(([path]) => path);

const LINKS = /\]\((?![a-z]+:|#)([^)#\s]+)/g;
const linksIn = (file: string): readonly string[] =>
  [...documentText(file).matchAll(LINKS)].map(([, target = '']) => new URL(target, new URL(file, ROOT)).href);

/** Of a pattern, as `limits*.e2e.spec.ts`, the folder. */
const isThere = (path: string): boolean => existsSync(new URL(path.replace(/[^/]*\*.*/, ''), ROOT));

describe('the paths that the documentation names', () => {
  for (const file of [...DOCUMENTS, 'ARCHITECTURE.md', ...RECORDS]) {
    it(`are there: ${file}`, () => {
      const paths = namedIn(documentText(file)).filter((path) => !SECRETS.test(path));
      expect(paths.filter((path) => !isThere(path))).to.deep.equal([]);
    });
  }

  it('include the targets of all links between pages', () => {
    const links = [...DOCUMENTS, 'ARCHITECTURE.md', ...RECORDS].flatMap(linksIn);
    expect(links).not.to.deep.equal([]);
    expect(links.filter((link) => !existsSync(new URL(link)))).to.deep.equal([]);
  });

  it('are found where they stand in the text, and missed where they are gone', () => {
    const text =
      'See `src/main.ts`, [it](docs/none.md#there) and test/e2e/api/limits*.e2e.spec.ts. Not dist/src/main.js.';
    const paths = namedIn(text);
    expect(paths).to.deep.equal(['src/main.ts', 'docs/none.md', 'test/e2e/api/limits*.e2e.spec.ts']);
    expect(paths.filter((path) => !isThere(path))).to.deep.equal(['docs/none.md']);
  });
});
