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
const circle = (name: string): string => `the group "${name}" is part of a cycle of groups`;
const NO_ACCESS = '"r" is not an access right; use rw, r or nothing';
const NEXT = (index: number): string => `g${index}=@g${index + 1}`;
const ROUND = (index: number): string => `g${index}=@g${(index + 1) % 15_000}`;

const FILES: readonly Row[] = [
  ['lines that make no sense', filled('', 'a\n'), 58, [MOST, 1, 100, 'stands before the first section']],
  ['empty lines', filled('', '\n'), 117, NONE],
  ['carriage returns', filled('', '\r'), 117, NONE],
  ['members that go on in further lines', filled('[groups]\ng=a\n', ' ,@g\n'), 70, [1, 2, 2, circle('g')]],
  ['accesses that go on in further lines', filled('[/]\n*=\n', ' r\n'), 38, [1, 4, 4, NO_ACCESS]],
  ['members in one long line', filled('[groups]\ng=', '@g,'), 78, [1, 2, 2, circle('g')]],
  ['groups in groups', lines('[groups]', NEXT), 59, [MOST, 20, 119, circle('g18')]],
  ['a circle of very many groups', lines('[groups]', ROUND), 62, [MOST, 2, 101, circle('g0')]],
  ['one group again and again', filled('[groups]\n', 'a=@a\n'), 117, [MOST, 2, 101, circle('a')]],
  ['aliases', filled('[aliases]\n', 'a=b\n'), 88, NONE],
  ['rules', filled('[/]\n', '@members=rw\n'), 28, NONE],
  ['short rules', filled('[/]\n', 'a=\n'), 117, NONE],
  ['sections', filled('', '[/a]\n'), 23, NONE],
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
