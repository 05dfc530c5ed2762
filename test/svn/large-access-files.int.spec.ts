import { expect } from 'chai';
import { accessFileFaults } from '../../src/svn/access-file.js';
import { turns } from '../support/turns.js';

const BYTES = 262_144;
const MOST = 100;

const filled = (head: string, text: string): string =>
  head + text.repeat(Math.floor((BYTES - head.length) / text.length));
const lines = (head: string, line: (index: number) => string): string =>
  [head, ...Array.from({ length: 40_000 }, (_, index) => line(index))].join('\n').slice(0, BYTES);

/** How often others have their turn at least; how many faults there are, in which first and last line, and the first one. */
type Row = readonly [why: string, text: string, turns: number, faults: readonly (number | string | undefined)[]];

const NONE = [0, undefined, undefined, undefined];
const NO_SUCH_GROUP = [MOST, 40_004, 40_103, `names the group "${'x '.repeat(30)}…", which is not defined`];
const circle = (name: string): string => `the group "${name}" is part of a cycle of groups`;
const NEXT = (index: number): string => `g${index}=@g${index + 1}`;
const ROUND = (index: number): string => `g${index}=@g${(index + 1) % 15_000}`;

const FILES: readonly Row[] = [
  ['lines that make no sense', filled('', 'a\n'), 58, [MOST, 1, 100, 'stands before the first section']],
  ['empty lines', filled('', '\n'), 117, NONE],
  ['empty lines of Windows', filled('', '\r\n'), 58, NONE],
  ['carriage returns', filled('', '\r'), 0, [1, 1, 1, 'holds a control character']],
  ['members that go on in further lines', filled('[groups]\ng=a\n', ' ,@g\n'), 70, [1, 2, 2, circle('g')]],
  ['accesses that go on in further lines', filled('[/]\n*=\n', ' r\n'), 38, NONE],
  ['members in one long line', filled('[groups]\ng=', '@g,'), 78, [1, 2, 2, circle('g')]],
  ['groups in groups', lines('[groups]', NEXT), 59, [MOST, 20, 119, circle('g18')]],
  ['a circle of very many groups', lines('[groups]', ROUND), 62, [MOST, 2, 101, circle('g0')]],
  ['one group again and again', filled('[groups]\n', 'a=@a\n'), 78, [MOST, 2, 52, circle('a')]],
  ['aliases', lines('[aliases]', (index) => (index < 20_000 ? `a${index}=b` : '')), 50, NONE],
  ['one alias again and again', filled('[aliases]\n', 'a=b\n'), 65, [MOST, 3, 102, 'defines "a" again, after line 2']],
  ['a long alias in many rules', filled(`[aliases]\na=@${'x\n '.repeat(40_000)}\n[/]\n`, '&a=\n'), 50, NO_SUCH_GROUP],
  ['rules', filled('[/]\n', '@members=rw\n'), 28, NONE],
  ['short rules', filled('[/]\n', 'a=\n'), 117, NONE],
  ['sections', lines('', (index) => (index < 20_000 ? `[/a/${index}]` : '')), 20, NONE],
  ['one section again and again', filled('', '[/a]\n'), 23, [MOST, 2, 101, 'repeats the section of line 1']],
  ['sections of patterns', lines('', (index) => (index < 10_000 ? `[:glob:/**/${index}*/*]` : '')), 30, NONE],
  ['a section of very many steps', `${filled('[:glob:', '/*')}]`, 60, NONE],
];

describe('an access file of 256 KiB', () => {
  for (const [why, text, least, [count, ...more]] of FILES) {
    it(`is judged while others have their turn, with ${why}`, async () => {
      const loop = turns();
      const faults = await accessFileFaults(text, (name) => name === 'members', MOST);
      loop.stop();
      expect(loop.count()).to.be.at.least(least);
      expect([faults.length, faults[0]?.line, faults.at(-1)?.line, faults[0]?.message]).to.deep.equal([count, ...more]);
    });
  }
});
