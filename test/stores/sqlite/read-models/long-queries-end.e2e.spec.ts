import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { opened } from './opened.js';

const SCRIPT = fileURLToPath(new URL('close-while-asked.ts', import.meta.url));

describe('a process that closes its read models while a long query is under way', () => {
  it('goes on until the query is answered and its thread has ended', async () => {
    const directory = await temporaryDirectory();
    await opened(directory.path).close();
    const args = ['--import', import.meta.resolve('tsx'), SCRIPT, directory.path];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.trim().split('\n')).to.deep.equal(['not-served', 'not-served', 'closed']);
    await directory.remove();
  });
});
