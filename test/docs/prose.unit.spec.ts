import { expect } from 'chai';
import { measureMarkdown, measureTypeScript, sum, type Figures } from '../support/prose/measure.js';
import { judge, lineOf } from '../support/prose/prose.js';
import { faultsOfRecord } from '../support/prose/records.js';

const LONG = `${'word '.repeat(25)}word.`;
const ofPage = (text: string): Figures => measureMarkdown('page.md', text);
const ofCode = (text: string): Figures => measureTypeScript('code.ts', text);
const vagueIn = (text: string): readonly string[] =>
  ofPage(text).vague.map(({ text: found }) => found.slice(0, found.indexOf(':')));

describe('the check of prose', () => {
  it('counts a sentence of 26 words as long, and one of 25 as short', () => {
    expect(ofPage(LONG).long.map(lineOf)).to.deep.equal([`page.md:1 26 words: ${LONG}\n`]);
    expect(ofPage(LONG.slice('word '.length))).to.deep.include({ sentences: 1, words: 25, long: [] });
  });

  it('counts code in a sentence as one word, and ignores blocks of code', () => {
    expect(ofPage('Run `npm run a b c` now.\n\n```sh\nnobody reads this\n```\n')).to.deep.include({
      words: 3,
      vague: [],
    });
  });

  it('measures headings, items and cells of tables apart, each with its line', () => {
    const { sentences, long } = ofPage(`# Head\n\n- One.\n- ${LONG}\n\n| a | b |\n|---|---|\n| c | ${LONG} |\n`);
    expect(sentences).to.equal(7);
    expect(long.map(({ line }) => line)).to.deep.equal([4, 8]);
  });

  it('counts words in the place of a noun', () => {
    expect(vagueIn('Whoever writes, nobody reads whatever the latter is.')).to.deep.equal([
      '"Whoever"',
      '"nobody"',
      '"whatever"',
      '"the latter"',
    ]);
    expect(vagueIn('No one waits for someone.')).to.deep.equal(['"No one"', '"someone"']);
    expect(vagueIn('Delete such files.')).to.deep.equal(['"such"']);
    expect(vagueIn('Such a file, such as those files, stays.')).to.deep.equal([]);
  });

  it('counts verbs of people with software as their subject', () => {
    expect(vagueIn('A server that gave up has also said so, and `status` tells it.')).to.deep.equal([
      '"gave up"',
      '"code tells"',
    ]);
    expect(vagueIn('The worker never asks. The log does not know the reader, who was told.')).to.deep.equal([
      '"worker never asks"',
      '"log does not know"',
      '"was told"',
    ]);
    expect(vagueIn('An operator asks. A process looks like a dead one. A known log is read.')).to.deep.equal([]);
  });

  it('reports words that refer across the boundary of a clause', () => {
    const referring = ofPage('If the lease ends, it is lost. Delete those that fail. What is it? Take it.').references;
    expect(referring.map(({ text }) => text)).to.deep.equal([
      '"it": If the lease ends, it is lost.',
      '"those": Delete those that fail.',
    ]);
  });

  it('reads comments of all forms, and no code', () => {
    const { sentences, long, vague } = ofCode(
      `/** A doc\n * of two lines. */\nconst a = '// nobody'; // Nobody here.\nconst b = /\\/\\/ whoever/;\n// One sentence\n// in two lines, with ${LONG}\n`,
    );
    expect(sentences).to.equal(3);
    expect(vague.map(({ line }) => line)).to.deep.equal([3]);
    expect(long.map(({ line }) => line)).to.deep.equal([5]);
  });

  it('leaves out directives of tools', () => {
    expect(ofCode('// eslint-disable-next-line no-console\n').sentences).to.equal(0);
  });

  it('passes 6 % of long sentences and 3 vague words in 1,000, and fails beyond', () => {
    const finding = { file: 'page.md', line: 1, text: '' };
    const figures = (long: number, vague: number): Figures => ({
      sentences: 100,
      words: 1000,
      long: Array(long).fill(finding),
      vague: Array(vague).fill(finding),
      references: [],
    });
    expect(judge(figures(6, 3)).passes).to.equal(true);
    expect(judge(figures(7, 3)).passes).to.equal(false);
    expect(judge(sum([figures(0, 3), { ...figures(0, 1), words: 1 }])).passes).to.equal(false);
  });
});

describe('the form of a decision record', () => {
  const RECORD = [
    '# 7. A choice',
    '',
    'Status: accepted, 2026-11-21. Amends 6.',
    ...['Context', 'Decision', 'Consequences', 'Rejected'].flatMap((heading) => ['', `## ${heading}`, 'Text.']),
    '',
  ].join('\n');
  const FILE = 'docs/decisions/0007-a-choice.md';
  const faultsOf = (text: string): readonly string[] =>
    faultsOfRecord(FILE, text).map((line) => line.slice(`${FILE}: `.length).trimEnd());

  it('is right with a title, a status, a date, four headings and 40 lines', () => {
    expect(faultsOf(RECORD)).to.deep.equal([]);
    expect(faultsOf(RECORD.replace('accepted', 'superseded by [8](0008-another.md)'))).to.deep.equal([]);
    expect(faultsOf(RECORD + '- More.\n'.repeat(40 - 15))).to.deep.equal([]);
  });

  it('is wrong with 41 lines, without a heading or with one more, without a date, or under another number', () => {
    const headings = ['the headings must be Context, Decision, Consequences, Rejected'];
    expect(faultsOf(RECORD + '- More.\n'.repeat(41 - 15))).to.deep.equal(['41 lines, at most 40']);
    expect(faultsOf(RECORD.replace('## Rejected\n', ''))).to.deep.equal(headings);
    expect(faultsOf(RECORD.replace('## Rejected', '## Measured\n\n## Rejected'))).to.deep.equal(headings);
    expect(faultsOf(RECORD.replace(', 2026-11-21', ''))).to.have.length(1);
    expect(faultsOf(RECORD.replace('# 7.', '# 8.'))).to.have.length(1);
  });
});
