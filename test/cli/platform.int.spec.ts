import { expect } from 'chai';
import { namedVariables, warningsOf } from '../../src/cli/platform.js';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';

describe('the variables that a platform file names', () => {
  it('are found however the file writes them, and no others', () => {
    const user = (name: string, variable: string) => `  - { username: ${name}, real_name: A, email: a@b, ${variable} }`;
    const text = [
      'users:',
      user('a', 'password_env: &p A'),
      user('b', 'password_env: !!str B'),
      user('c', 'password_env: # of the operator\n      C'),
      user('d', 'password_env: *p'),
      user('e', '"password_env": "E"'),
      user('f', 'password_env: UNSET'),
      user('g', 'password_env: constructor'),
      user('h', 'password: "password_env: SECRET"'),
    ].join('\n');
    const env = { A: '1', B: '2', C: '3', E: '5', SECRET: '6' };
    expect(namedVariables(parsePlatformFile(text).file, env)).to.deep.equal({ A: '1', B: '2', C: '3', E: '5' });
  });
});

describe('an exported platform file', () => {
  it('has a warning if it is larger than a file that can be applied', () => {
    const most = 16 * 1024 * 1024;
    expect(warningsOf('x'.repeat(most))).to.deep.equal([]);
    const words = 'The file is larger than 16 MiB: plan and apply refuse the file';
    expect(warningsOf('x'.repeat(most + 1))).to.deep.equal([words]);
  });
});
