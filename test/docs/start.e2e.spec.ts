import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeClone, started } from '../support/clone.js';
import { fencedBlocks, scriptOf } from '../support/shell-blocks.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('the start of the README', () => {
  it('applies the platform file in a directory other than that of the demo, and serves', async () => {
    const directory = await temporaryDirectory();
    makeClone(directory.path);
    const { text = '' } = fencedBlocks('yaml').find((block) => block.text.includes('password_env')) ?? {};
    writeFileSync(join(directory.path, 'platform.yaml'), text);
    const said = await started(scriptOf('start'), directory.path, { ANN_PASSWORD: 'correct horse battery staple' });
    expect(said).to.include('"msg":"stopped"');
    expect(said).to.include('"dataDir":"./platform"');
    expect(said).not.to.match(/"level":[456]0/);
    await directory.remove();
  });
});
