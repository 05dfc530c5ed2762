import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { temporaryDirectory } from '../support/temporary-directory.js';

const HOOK = fileURLToPath(new URL('../../.githooks/pre-commit', import.meta.url));

describe('the hook that runs before a commit', () => {
  it('is executable, and calls scripts of package.json', () => {
    accessSync(HOOK, constants.X_OK);
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const called = [...readFileSync(HOOK, 'utf8').matchAll(/npm run --silent (\w+)/g)].map(([, name]) => name);
    expect(called).to.deep.equal(['format', 'types']);
    expect(scripts).to.include.keys('format', 'types');
  });

  for (const failing of ['format', 'types', 'none']) {
    it(`refuses a commit only if a check fails, here ${failing}`, async () => {
      const directory = await temporaryDirectory();
      const npm = `#!/bin/sh\n[ "$3" != ${failing} ]\n`;
      mkdirSync(join(directory.path, 'bin'));
      writeFileSync(join(directory.path, 'bin/npm'), npm, { mode: 0o755 });
      const env = { PATH: `${join(directory.path, 'bin')}:${process.env['PATH'] ?? ''}` };
      const { status } = spawnSync(HOOK, { cwd: directory.path, env });
      expect(status === 0).to.equal(failing === 'none');
      await directory.remove();
    });
  }
});
