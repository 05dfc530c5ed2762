import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { leaveOut } from '../support/left-out.js';

const SCRIPT = fileURLToPath(new URL('log-fatal-line.ts', import.meta.url));
const FULL = '/dev/full';

const started = (output: 'own' | 'shared', stdout: 'pipe' | number, ...end: readonly string[]) =>
  spawn(process.execPath, ['--import', import.meta.resolve('tsx'), SCRIPT, output, ...end], {
    stdio: ['pipe', stdout, 'inherit'],
  });

describe('a fatal line of the log', () => {
  for (const output of ['own', 'shared'] as const) {
    it(`is written before the end, to an output that is ${output}`, async () => {
      const child = started(output, 'pipe');
      const exited = once(child, 'exit');
      child.stdin!.end();
      expect(await text(child.stdout!)).to.match(/^\{.*"msg":"failed"\}\n.*"msg":"last"\}\n$/);
      expect(await exited).to.deep.equal([7, null]);
    });

    it(`is written by a process that ends by itself, to an output that is ${output}`, async () => {
      const child = started(output, 'pipe', 'by itself');
      const exited = once(child, 'exit');
      child.stdin!.end();
      expect(await text(child.stdout!)).to.match(/"msg":"failed"\}\n.*"msg":"last"\}\n$/);
      expect(await exited).to.deep.equal([7, null]);
    });

    it(`does not hold the process up once the reader has left, with an output that is ${output}`, async () => {
      const child = started(output, 'pipe');
      const exited = once(child, 'exit');
      child.stdout!.destroy();
      await once(child.stdout!, 'close');
      child.stdin!.end();
      expect(await exited).to.deep.equal([7, null]);
    });
  }
});

if (existsSync(FULL)) {
  describe('a fatal line of the log, on a full disk', () => {
    it('does not hold the process up', async () => {
      const full = openSync(FULL, 'w');
      const child = started('own', full);
      closeSync(full);
      const exited = once(child, 'exit');
      child.stdin!.end();
      expect(await exited).to.deep.equal([7, null]);
    });
  });
} else leaveOut('a fatal line on a full disk', `there is no ${FULL}`);
