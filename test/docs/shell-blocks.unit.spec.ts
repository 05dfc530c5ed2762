import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { DOCUMENTS, documentText, fencedBlocks, proseOf } from '../support/shell-blocks.js';

/** By label, the spec that runs all blocks with that label. */
const RUN: Readonly<Record<string, string>> = {
  install: 'docs/install.e2e.spec.ts',
  session: 'docs/session.e2e.spec.ts',
  platform: 'docs/session.e2e.spec.ts',
  start: 'docs/start.e2e.spec.ts',
  servers: 'docs/servers.e2e.spec.ts',
  migrate: 'docs/servers.e2e.spec.ts',
  backup: 'e2e/backup.e2e.spec.ts',
  restore: 'e2e/backup.e2e.spec.ts',
  upload: 'docs/upload.int.spec.ts',
  reporting: 'docs/reporting.int.spec.ts',
  clients: 'docs/clients.e2e.spec.ts',
};

/** Blocks that no spec runs, by a command that they hold, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'git config core.hooksPath': 'test/docs/hook.int.spec.ts runs the hook, and npm ci is that of the installation',
  'db.getCollectionNames()': 'the shell of MongoDB is not a package of the project',
};

/** Machines differ in whether they have these, and what they would change. test/deploy reads what they run. */
const PROGRAMS = /\b(docker|systemctl)\b/;

describe('the blocks of code of the documentation', () => {
  const blocks = fencedBlocks('sh', 'js');

  it('are run by a spec, or left out for a reason', () => {
    const forgotten = blocks
      .filter(({ label, text }) => !(label in RUN) && !PROGRAMS.test(text))
      .filter(({ text }) => !Object.keys(LEFT_OUT).some((command) => text.includes(command)));
    expect(forgotten).to.deep.equal([]);
  });

  it('have a label only if they are run, by a spec that reads the label', () => {
    for (const [label, spec] of Object.entries(RUN)) {
      expect(readFileSync(new URL(`../${spec}`, import.meta.url), 'utf8'), spec).to.match(
        new RegExp(`(scriptOf|placed|block)\\('${label}'`),
      );
      expect(
        blocks.filter((block) => block.label === label),
        label,
      ).to.not.deep.equal([]);
    }
    expect(blocks.filter(({ label }) => label !== '' && !(label in RUN))).to.deep.equal([]);
  });

  it('are left out while they are there', () => {
    for (const command of Object.keys(LEFT_OUT))
      expect(
        blocks.filter(({ text }) => text.includes(command)),
        command,
      ).to.have.length(1);
  });

  for (const file of DOCUMENTS) {
    it(`are fenced as sh or js in ${file}`, () => {
      const languages = [...documentText(file).matchAll(/^ *```(\w+)/gm)].map(([, language]) => language);
      expect(
        languages.filter((language) => /^(bash|shell|console|zsh|text|javascript|ts)$/.test(language ?? '')),
      ).to.deep.equal([]);
      expect(proseOf(file)).not.to.match(/^(?: {4}|\t)(?:npm|npx|node|curl|docker|export|sqlite3) /m);
      expect(proseOf(file)).not.to.match(/^ *```$/m);
    });
  }

  it('name scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const texts = DOCUMENTS.map((file) => documentText(file));
    const named = texts.flatMap((text) => [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? ''));
    expect(named).to.not.deep.equal([]);
    expect(named.filter((name) => !(name in scripts))).to.deep.equal([]);
  });
});
