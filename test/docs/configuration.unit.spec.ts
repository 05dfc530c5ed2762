import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { documentText } from '../support/shell-blocks.js';

const CONFIG = new URL('../../src/config/', import.meta.url);
const READ = /\b(?:text|secret|oneOf)\(\s*'([A-Z][A-Z_]+)'/g;

describe('docs/configuration.md', () => {
  it('names every setting that the program reads, and no other', () => {
    const sources = readdirSync(CONFIG).filter((name) => /^(server-)?config\.[tj]s$/.test(name));
    const code = sources.map((name) => readFileSync(new URL(name, CONFIG), 'utf8')).join('\n');
    const read = [...code.matchAll(READ)].map(([, name = '']) => name);
    const rows = documentText('docs/configuration.md').match(/^\| `[A-Z].*?\|/gm) ?? [];
    const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
    expect(new Set(named.filter((name) => name !== 'JWT_SECRET_FILE'))).to.deep.equal(new Set(read));
  });
});
