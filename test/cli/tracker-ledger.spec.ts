import { expect } from 'chai';
import { command, killAll, run } from '../support/process.js';

const LONG = 60_000;

describe('tracker-ledger', () => {
  after(killAll);

  it('prints what was asked for, and nothing else, to standard output', async () => {
    const { stdout, ...rest } = await command(['platform', 'schema'], {});
    expect(rest).to.deep.equal({ code: 0, signal: null, stderr: '' });
    expect(JSON.parse(stdout)).to.include({ title: 'Platform file' });
  }).timeout(LONG);

  it('ends with status 1 if the arguments are wrong, and says why on standard error', async () => {
    const refused = await command(['platform', 'aply'], {});
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.include("unknown command 'aply'");
  }).timeout(LONG);

  it('ends in order, without a word, when the reader of its output leaves', async () => {
    const printing = run(['platform', 'schema'], {});
    printing.child.stdout?.destroy();
    expect(await printing.ended).to.deep.equal({ code: 0, signal: null });
    expect(printing.stderr()).to.equal('');
  }).timeout(LONG);
});
